/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_STORE_SCHEMA_H
#define MEMSEARCH_STORE_SCHEMA_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/fields.h"

/*
 * The store's tables, made from the lists of fields (analysis/record/fields.h):
 *
 *     runs(id, …)                       struct run
 *     regions(run, row, …), nodes …     its arrays
 *     regions_path(run, row, position, …), nodes_evidence …   arrays inside their rows
 *     records(run, version, piece, bytes)   each run as a record (records.h)
 *     causes(run, number, …), and views     for users' queries (store_causes.h, sql_views.h)
 *
 * Structs inside are columns PREFIX_NAME, enumerations are names; NULL are NAN and the greatest U32
 * or U64, which stands for none, all or unknown.
 *
 * To change it: add fields (fields.h says how) and raise STORE_VERSION; what has a
 * `.since` above a file's version is added to it when it is opened. Anything else needs
 * a statement in migrate() (schema.c).
 */
#define STORE_VERSION 47
#define STORE_APPLICATION 0x4d537263 /* PRAGMA application_id: "MSrc" */

#define STORE_COLUMNS_MAX 128
#define STORE_TABLES_MAX 48

struct store_column {
	char name[64];
	const struct field *field;
	size_t offset; /* in the row */
	uint32_t since;
};

struct store_table {
	char name[64];
	const struct run_table *table; /* NULL: runs */
	const struct field *array;     /* NULL: not an array inside a row */
	const struct fields *fields;
	uint32_t since;
	struct store_column columns[STORE_COLUMNS_MAX];
	size_t nr_columns;
};

struct schema {
	/* runs first; arrays inside rows after their table */
	struct store_table tables[STORE_TABLES_MAX];
	size_t nr_tables;
};

void schema_init(struct schema *schema);

/* All in the transaction the caller began; SQLite's result codes. */
int schema_create(const struct schema *schema, sqlite3 *db);
int schema_migrate(const struct schema *schema, sqlite3 *db, uint32_t version);

/* Names of the columns that lead to a row, and how many: "id", or "run", "row", "position". */
size_t schema_keys(const struct store_table *table, const char *const **keys_out);
/*
 * "SELECT keys, columns FROM … ORDER BY …" of one run (?1), and "INSERT …"; free with sqlite3_free;
 * NULL: no memory.
 */
char *schema_select(const struct store_table *table);
char *schema_insert(const struct store_table *table);

#endif
