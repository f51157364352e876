/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_TOUCHING_H
#define MEMSEARCH_ARRAYS_TOUCHING_H

#include "memsearch/measurement.h"

/*
 * Metric first_touched: relates first touches of data structures to their accesses. Structures that
 * an execution accessed are noted from their rows; at its end they get a row of first_touched for
 * each thread that accessed them or touched them first. Threads that only touched them first also
 * get rows of accesses with value 0. If the first touches are unknown, the metric is marked as
 * missing. At phase boundaries, one thread at a time.
 */
struct arena;
struct database;
struct inventory;
struct region_table;
struct touching;

/* NULL: no memory. */
struct touching *touching_new(struct arena *arena, struct region_table *regions,
			      const struct inventory *inventory);
/* Notes a row of the current execution. */
void touching_note(struct touching *touching, const struct ms_measurement *row);
/* Adds the rows for the structures noted since the last call; db NULL: discards them. */
void touching_rows(struct touching *touching, struct database *db);

#endif
