/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_RUN_MEASUREMENTS_H
#define MEMSEARCH_SEARCH_RUN_MEASUREMENTS_H

#include <stdbool.h>

#include "analysis/record/run.h"
#include "analysis/search/database.h"

/*
 * What a finished run measured, for searches over it: its regions, what is missing, and its rows,
 * which are sums over the run, as those of one execution of its phase. Not here: which of it a
 * search gets (record_replay.h, simulation/findings.h).
 */

/* The run's regions, in the order of their ids; false: no memory. */
bool measured_regions(struct database *db, const struct run *run);
/* What could not be measured, with the run's reasons. */
void measured_missing(struct database *db, const struct run *run);

/*
 * Sensors of which one reading has all metrics, and no row for what is 0: where one of their
 * metrics was measured, all were.
 */
bool measured_together(enum ms_sensor_id sensor);

/* Nanoseconds of one execution of the phase: of times, and of samples of a clock. */
struct measured_wall {
	double cpu_ns, clock_ns;
};

/* Of one execution, as database.h compares them: times by wall time, counts by executions. */
struct ms_measurement measured_in_one(const struct run_measurement *from,
				      const struct measured_wall *wall);

#endif
