/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_AVAILABLE_COUNTERS_H
#define MEMSEARCH_COUNTERS_AVAILABLE_COUNTERS_H

#include "memsearch/sensor_session.h"

/*
 * Connects the sensor of counters to the search, as members of struct sensor_session: which metrics
 * are available, which can be scheduled together, whose counters were taken during the run; and
 * their entries in the record.
 */

/* Uses --event and --counters-at-once of the options. */
bool counting_begin(const struct sensor_record *to, const struct options *options, bool works);
/* Sets the metrics that can be scheduled together, and the user's events. */
void counting_configure_search(struct engine_config *config);
void counting_describe(struct database *db, bool repeats);
/*
 * Marks metrics with implausible readings as missing and discards their values; if their counters
 * were only taken by another program, they are retried later.
 */
bool counting_check(struct database *const *dbs, size_t nr, struct database *phase);
enum ms_status counting_harvest(const struct sensor_record *to, struct unwinder *unwinder,
				bool at_end);

#endif
