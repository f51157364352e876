/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_REQUESTS_H
#define MEMSEARCH_SESSION_REQUESTS_H

#include <stdint.h>

/*
 * Requests of the two searches, at phase boundaries. The parts that they go to are those of
 * `online`.
 */
struct engine_cost;
struct database;
struct search;

/* All that the user wants and that a property may ask for; of counters those that fit together. */
void requests_all(const struct search *search);
/*
 * After a stretch, or `turn` executions, of which everything was requested: the next counters that
 * fit together.
 */
void requests_take_turns(const struct search *search, uint64_t turn);
/* The requests of the search, or all, as --measure says. */
void requests_apply(struct search *search);
/*
 * Runs the search over the last execution's values, applies new requests of the phase's search, and
 * updates the record.
 */
void requests_search(struct search *search, const struct engine_cost *cost);
/* What is attributed while it is measured needs the names of data structures before. */
void requests_read_declarations(void);
/*
 * After an execution of the phase, NULL: after a stretch: values that are not to be trusted are
 * forgotten before the search evaluates them (sensors_check).
 */
void requests_check_sensors(struct database *phase);

#endif
