/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_COUNTING_H
#define MEMSEARCH_COUNTERS_COUNTING_H

#include "memsearch/sensor_session.h"

/*
 * Counters between their sensor and the search, as members of struct sensor_session: which of their
 * metrics can be had, and which of them at once; whose counters were taken meanwhile; and what the
 * record says of all this.
 */

/* --event and --counters-at-once of the options count. */
bool counting_begin(const struct sensor_record *to, const struct options *options, bool works);
/* What fits together, and the user's events. */
void counting_configure_search(struct engine_config *config);
void counting_describe(struct database *db, bool repeats);
/*
 * Metrics whose readings were not to be trusted are marked as missing, and what they gave is
 * forgotten; those that had only been taken by others are tried again later.
 */
bool counting_check(struct database *const *dbs, size_t nr, struct database *phase);
enum ms_status counting_harvest(const struct sensor_record *to, struct unwinder *unwinder,
				bool at_end);

#endif
