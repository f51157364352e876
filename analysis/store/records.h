/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_STORE_RECORDS_H
#define MEMSEARCH_STORE_RECORDS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Each run of a store once more, as a record without a trace (analysis/record/record.h): a row of
 * measurements takes 1 us to read from its table and 0.1 us from a record. The tables are for SQL,
 * and for runs whose record is of an older version. In pieces, as SQLite keeps a whole value in
 * memory.
 *
 *     records(run, version, piece, bytes)
 *
 * All in the transaction that the caller began; SQLite's result codes.
 */
struct arena;
struct run;

#define RECORDS_SINCE 26 /* STORE_VERSION; runs of older stores have none */

int records_create(sqlite3 *db);
int records_add(sqlite3 *db, int64_t id, const struct run *run);
/* In the arena. *bytes_out NULL: the run has none of this version (RECORD_VERSION). */
int records_get(sqlite3 *db, struct arena *arena, int64_t id, const uint8_t **bytes_out,
		size_t *nr_out);

#endif
