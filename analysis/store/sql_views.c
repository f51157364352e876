/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/store/sql_views.h"

#include <stddef.h>

/* The lines of a data structure's region are those of the region around it. */
#define PLACE(column) \
	"CASE r.kind WHEN 'DATA_STRUCTURE' THEN p.source_" column " ELSE r.source_" column " END"

static const char region_places[] =
	"CREATE VIEW region_places AS SELECT r.run, r.id AS region, r.parent, r.kind, "
	"nullif(" PLACE("function") ", '') AS function, nullif(" PLACE(
		"file") ", '') AS file, "
			"nullif(" PLACE(
				"line") ", 0) AS line, a.id AS array, a.array_name "
					"FROM regions r "
					"LEFT JOIN regions p ON r.kind = 'DATA_STRUCTURE' AND p.run = r.run AND p.row = r.parent "
					"LEFT JOIN array_names a ON r.kind = 'DATA_STRUCTURE' AND a.run = r.run AND a.id = r.construct_offset - 1";

/* Arrays without a name have that of their allocating line. */
static const char array_names[] =
	"CREATE VIEW array_names AS SELECT run, id, kind, type, shape, bytes, "
	"coalesce(nullif(name, ''), nullif(site_source_file, '') || ':' || site_source_line, "
	"CASE kind WHEN 'heap' THEN '(allocated before memsearch came)' ELSE '(no name)' END) AS array_name "
	"FROM arrays";

static const char findings[] =
	"CREATE VIEW findings AS SELECT n.run, n.id AS finding, n.property, n.title, "
	"p.region, p.kind AS region_kind, p.function, p.file, p.line, p.array_name AS array, "
	"n.thread, n.severity, n.severity_low, n.severity_high, n.confidence, n.rung, "
	"n.explanation, n.advice "
	"FROM nodes n LEFT JOIN region_places p ON p.run = n.run AND p.region = n.region "
	"WHERE n.state = 'true'";

/* NULL where nothing of the access was simulated. */
#define SIMULATED(column, name) \
	"CASE WHEN u.misses_reads + u.misses_writes > 0 THEN u.misses_" column " END AS " name ", "

static const char array_use[] =
	"CREATE VIEW array_use AS SELECT u.run, a.array_name AS array, a.kind AS array_kind, "
	"a.type, a.shape, a.bytes AS array_bytes, "
	"p.region, p.kind AS region_kind, u.source_function AS function, u.source_file AS file, "
	"nullif(u.source_line, 0) AS line, u.bytes AS access_bytes, u.executions, u.reads, u.writes, "
	"u.threads, u.stride, u.with_stride, " SIMULATED("l1", "l1_misses") SIMULATED("l2",
										      "l2_misses")
		SIMULATED("l3", "l3_misses") SIMULATED("page_walks", "page_walks") SIMULATED(
			"cycles",
			"stall_cycles") "u.regular "
					"FROM accesses u LEFT JOIN array_names a ON a.run = u.run AND a.id = u.array "
					"LEFT JOIN region_places p ON p.run = u.run AND p.region = u.region";

int sql_views_create(sqlite3 *db)
{
	static const char *const views[] = { array_names, region_places, findings, array_use };
	int result = SQLITE_OK;

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]) && result == SQLITE_OK; i++)
		result = sqlite3_exec(db, views[i], NULL, NULL, NULL);
	return result;
}
