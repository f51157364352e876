/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_COUNTING_H
#define MEMSEARCH_SESSION_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/search/database.h"
#include "analysis/search/engine.h"
#include "memsearch/request.h"

/*
 * Counters between their sensor and the search: which of their metrics can be had, and which of
 * them at once; whose counters were taken meanwhile; and what the record says of all this.
 * Everything here runs on one thread at a time, at phase boundaries.
 */
struct arena;
struct counting;
struct run;

/*
 * After the sensors were probed. `events`: names the user gave, as --event has them; `at_once`:
 * most metrics at a time, 0: as many as fit. NULL: no memory.
 */
struct counting *counting_new(struct arena *arena, struct run *run, const char *events,
			      double at_once);
/* What fits together, and the user's events, into an engine's configuration. */
void counting_configure(struct counting *counting, struct engine_config *config);
/* Marks what cannot be had on this machine as missing. */
void counting_mark(const struct counting *counting, struct database *db);
/*
 * The metrics of counters in these requests are counted from now on; before any region asks for
 * them.
 */
void counting_select(struct counting *counting, const struct ms_request *requests, size_t nr);
/*
 * After an execution has come into a database: metrics whose readings were not to be trusted are
 * marked as missing in all of `dbs`, and what they gave is forgotten; those that had only been
 * taken by others are tried again later. True: something has changed.
 */
bool counting_check(struct counting *counting, struct database *const *dbs, size_t nr);

#endif
