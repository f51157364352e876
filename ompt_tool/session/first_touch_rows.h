/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_TOUCHING_H
#define MEMSEARCH_ARRAYS_TOUCHING_H

#include "memsearch/measurement.h"

/*
 * Metric first_touched: who touched a data structure's memory first, beside who accesses it.
 * Structures that an execution accessed are noted as their rows pass; at its end they get a row of
 * first_touched for each thread that accessed them or touched them first, and those that only did
 * the latter get their accesses, which are 0. Where the first touches are not known the metric is
 * marked as missing there. At phase boundaries, one thread at a time.
 */
struct arena;
struct database;
struct inventory;
struct region_table;
struct touching;

/* NULL: no memory. */
struct touching *touching_new(struct arena *arena, struct region_table *regions,
			      const struct inventory *inventory);
/* A row of the execution under way. */
void touching_note(struct touching *touching, const struct ms_measurement *row);
/* What was noted since the last time gets its rows; db NULL: it is forgotten. */
void touching_rows(struct touching *touching, struct database *db);

#endif
