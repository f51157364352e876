/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_REPLICATES_H
#define MEMSEARCH_DIFFERENTIAL_REPLICATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/match.h"

/*
 * Executions of the phase as replicates within each run: by their scatter, how well each run's
 * values of regions are known. Runs stay the outer level: executions of one run share its
 * placement, addresses and frequency, and say nothing of the next run.
 */
struct arena;

struct executions {
	/* [match->nr_places][compared_metrics_nr()][match->nr_runs] */
	struct profile_error *of;
	size_t nr_runs;
};

/* In the arena. False: no memory. */
bool executions_of(struct arena *arena, const struct match *match, struct executions *out);
/* Of each run, [nr_runs]: of all threads in a place of the match. */
const struct profile_error *executions_errors(const struct executions *executions, uint32_t place,
					      uint32_t metric);

#endif
