/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_STORE_SQL_VIEWS_H
#define MEMSEARCH_STORE_SQL_VIEWS_H

#include <sqlite3.h>

/*
 * Views of a store for SQL queries of its users; memsearch reads none of them. Their columns are in
 * memsearch-import(1).
 */
#define SQL_VIEWS_SINCE 45 /* STORE_VERSION */

/* In the transaction the caller began; SQLite's result codes. */
int sql_views_create(sqlite3 *db);

#endif
