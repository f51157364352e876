/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_STORE_CAUSES_H
#define MEMSEARCH_STORE_CAUSES_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Table causes(run, number, …): what the report says of a run, worst first, for SQL queries of users.
 * memsearch reads none of it: a report makes its causes anew. Runs that a memsearch before
 * SQL_VIEWS_SINCE stored have none. NULL: not known, or there is none.
 */
struct store_cause {
	const char *machine; /* "host", or the modelled machine */
	const char *kind, *property, *title, *arrays, *place, *file;
	uint32_t line;                     /* 0: not known */
	double low, high;                  /* share of the phase's time */
	const char *why, *remedy, *action; /* (report/cause.h) */
};
struct store_causes {
	struct store_cause *list;
	size_t nr;
};

/* In the transaction the caller began; SQLite's result codes. */
int store_causes_create(sqlite3 *db);
int store_causes_add(sqlite3 *db, int64_t run, const struct store_causes *causes);

#endif
