/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_REQUESTS_H
#define MEMSEARCH_SESSION_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

/* Requests of the two searches, at phase boundaries, to the parts of `online`. */
struct engine_cost;
struct database;
struct search;

/*
 * Requests all metrics that the options allow and a property uses; of counters a set that fits
 * together.
 */
void requests_all(const struct search *search);
/*
 * After a stretch, or `turn` executions, of which everything was requested: the next counters that
 * fit together.
 */
void requests_take_turns(const struct search *search, uint64_t turn);
/* Requests samples of page faults alone. */
void requests_faults(const struct search *search);
/* Applies the requests of the search, or all, depending on --measure. */
void requests_apply(struct search *search);
/*
 * Runs the search over the last execution's values, applies new requests of the phase's search, and
 * updates the record.
 */
void requests_search(struct search *search, const struct engine_cost *cost);
/* Whether those of the phase's search ask for accesses. */
bool requests_record(void);
/* Reads the names of data structures, which accesses attributed during the measurement require. */
void requests_read_declarations(void);
/*
 * After an execution of the phase, or (NULL) a stretch: discards implausible values before the
 * search evaluates them (sensors_check).
 */
void requests_check_sensors(struct database *phase);

#endif
