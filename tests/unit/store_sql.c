/* SPDX-License-Identifier: Apache-2.0 */
/* What users ask a store in SQL: views, causes, and NULL where nothing is known. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/store/store.h"
#include "tests/host/scratch.h"
#include "tests/unit/sample_run.h"
#include "tests/unit/test.h"

#define STORE "x.db"

/* Rows of the answer, their values between '|', rows between ' '; NULL is "-". */
static const char *query(const char *text)
{
	static char answer[1000];
	sqlite3_stmt *statement = NULL;
	sqlite3 *db;
	size_t at = 0;

	answer[0] = 0;
	CHECK_INT(sqlite3_open(STORE, &db), SQLITE_OK);
	if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) != SQLITE_OK)
		test_fail(__FILE__, __LINE__, "%s", sqlite3_errmsg(db));
	while (sqlite3_step(statement) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(statement); i++) {
			const char *value = (const char *)sqlite3_column_text(statement, i);

			at += (size_t)snprintf(answer + at, sizeof(answer) - at, "%s%s",
					       i    ? "|"
					       : at ? " "
						    : "",
					       value ? value : "-");
			CHECK(at < sizeof(answer));
		}
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return answer;
}

static const char *file_text(const char *path)
{
	size_t nr;
	uint8_t *text = realloc(file_read(path, &nr), nr + 1);

	text[nr] = 0;
	return (const char *)text;
}

static void query_all(const char *text)
{
	sqlite3 *db;

	CHECK_INT(sqlite3_open(STORE, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void store_with(const struct run *run, struct store_cause *causes, size_t nr)
{
	struct store *store;

	CHECK_INT(store_open(STORE, true, &store), MS_OK);
	CHECK_INT(store_add(store, run, &(struct store_causes){ causes, nr }, NULL), MS_OK);
	store_close(store);
}

static struct store_cause strided(void)
{
	return (struct store_cause){ .machine = "host",
				     .kind = "loop_order",
				     .property = "StridedAccess",
				     .title = "strided access",
				     .arrays = "grid",
				     .place = "loop in calc2 (swim.c:354)",
				     .file = "swim.c",
				     .line = 356,
				     .low = 0.2,
				     .high = 0.5,
				     .remedy = "interchange",
				     .action = "interchange_loops" };
}

TEST(store_sql__none_is_null)
{
	struct arena *arena = arena_new();
	struct store *store;
	struct run run, again;

	scratch_enter();
	sample_run(&run, arena);
	store_with(&run, NULL, 0);
	CHECK_STR(query("SELECT id, parent FROM regions WHERE id < 2"), "0|- 1|0");
	CHECK_STR(query("SELECT array FROM accesses"), "0 0 1 -");
	CHECK_STR(query("SELECT site_module FROM arrays WHERE id = 0"), "-");
	/* also where no record is read */
	query("DELETE FROM records");
	CHECK_INT(store_open(STORE, false, &store), MS_OK);
	CHECK_INT(store_read(store, arena, 1, &again), MS_OK);
	CHECK_INT(again.regions[0].parent, MS_REGION_NONE);
	CHECK_INT(again.accesses[3].array, RUN_ARRAY_NONE);
	store_close(store);
}

TEST(store_sql__views_name_places_and_arrays)
{
	struct arena *arena = arena_new();
	struct run run;

	scratch_enter();
	sample_run(&run, arena);
	store_with(&run, NULL, 0);
	CHECK_STR(query("SELECT kind, function, file, line, array, array_name FROM region_places "
			"WHERE kind IN ('DATA_STRUCTURE', 'DO_REGION', 'USER_REGION')"),
		  "USER_REGION|-|-|-|-|- DO_REGION|calc2|swim.c|354|-|- "
		  "DATA_STRUCTURE|calc2|swim.c|354|0|unew DATA_STRUCTURE|calc2|swim.c|354|1|grid");
	CHECK_STR(query("SELECT array_name FROM array_names WHERE id IN (2, 3)"),
		  "input.c:77 fields/cu");
	CHECK_STR(
		query("SELECT array, array_kind, region_kind, file, line, executions, reads, stride "
		      "FROM array_use"),
		"unew|static|DO_REGION|swim.c|356|12|900000|4096.0 "
		"unew|static|DO_REGION|swim.c|357|6|0|8.0 "
		"grid|heap|DO_REGION|grid.h|9|6|300000|0.0 "
		"-|-|DO_REGION|swim.c|354|12|60|0.0");
	CHECK_STR(query("SELECT property, file, line, severity FROM findings WHERE finding = 1"),
		  "UnevenWorkInRegion|swim.c|350|0.3");
	CHECK_STR(query("SELECT (SELECT count(*) FROM findings) = "
			"(SELECT count(*) FROM nodes WHERE state = 'true')"),
		  "1");
}

/* What was not simulated has no misses, which is not 0. */
TEST(store_sql__misses_are_null_without_a_simulation)
{
	struct arena *arena = arena_new();
	struct run run;

	scratch_enter();
	sample_run(&run, arena);
	run.accesses[0].misses.reads = 900000;
	store_with(&run, NULL, 0);
	CHECK_STR(query("SELECT l1_misses, stall_cycles FROM array_use WHERE array = 'unew'"),
		  "0|0 -|-");
}

TEST(store_sql__causes_are_those_of_the_last_import)
{
	struct arena *arena = arena_new();
	struct store_cause causes[] = { strided(), { .machine = "host", .low = 0, .high = 0.1 } };
	struct run run;

	scratch_enter();
	sample_run(&run, arena);
	store_with(&run, causes, 2);
	CHECK_STR(
		query("SELECT run, number, kind, arrays, file, line, low, high, why, action FROM causes"),
		"1|1|loop_order|grid|swim.c|356|0.2|0.5|-|interchange_loops 1|2|-|-|-|-|0.0|0.1|-|-");
	store_with(&run, causes, 1);
	CHECK_STR(query("SELECT count(*) FROM causes"), "1");
}

/* A store of an earlier version gets them when it is opened. */
TEST(store_sql__older_stores_get_views)
{
	const char *text = file_text("tests/data/store-version-1.sql");
	struct store *store;

	scratch_enter();
	query_all(text);
	CHECK_STR(query("SELECT parent FROM regions WHERE row = 0"), "4294967295");
	CHECK_INT(store_open(STORE, false, &store), MS_OK);
	store_close(store);
	CHECK_STR(query("SELECT parent FROM regions WHERE row = 0"), "-");
	CHECK_STR(query("SELECT (SELECT count(*) FROM findings) = "
			"(SELECT count(*) FROM nodes WHERE state = 'true')"),
		  "1");
	CHECK_STR(query("SELECT count(*) FROM causes"), "0");
}
