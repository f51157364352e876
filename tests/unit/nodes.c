/* SPDX-License-Identifier: Apache-2.0 */
/* Values by NUMA node: on which node a thread runs, in the database. */
#include "analysis/search/database.h"
#include "tests/unit/search.h"

enum { PHASE };

/* -- the database: on which node a thread runs */

static struct database *new_database(struct arena *arena)
{
	struct database *db = database_new(arena);

	region(db, PHASE, MS_REGION_NONE, MS_USER_REGION);
	request(db, PHASE, MS_METRIC_NODE, 0);
	return db;
}

/* So many executions at the end of which thread 0 is on that node. */
static void run_on(struct database *db, double node, int executions)
{
	for (int i = 0; i < executions; i++) {
		database_execution_begin(db);
		row(db, PHASE, 0, MS_METRIC_NODE, node);
		database_execution_end(db, 100, 1);
	}
}

static struct ms_reading node_in(const struct database *db)
{
	return database_reading(db, DATABASE_ALL_BATCHES, PHASE, 0, MS_METRIC_NODE);
}

/* A stray look in ten does not matter, a second one does: 9 and 1, then 9 and 2, then 18 and 2. */
TEST(nodes__nine_of_ten_executions)
{
	struct arena *arena = arena_new();
	struct database *db = new_database(arena);

	CHECK_INT(node_in(db).missing, MS_MISSING_NOT_REQUESTED);
	run_on(db, 0, 9);
	CHECK_NEAR(node_in(db).value, 0, 0);
	run_on(db, 1, 1);
	CHECK_INT(node_in(db).missing, MS_PRESENT);
	CHECK_NEAR(node_in(db).value, 0, 0);
	run_on(db, 1, 1);
	CHECK_INT(node_in(db).missing, MS_MISSING_MOVED);
	run_on(db, 0, 9);
	CHECK_INT(node_in(db).missing, MS_PRESENT);
	CHECK_NEAR(node_in(db).value, 0, 0);
	CHECK_NEAR(node_in(db).error, 0, 0);
	CHECK_INT(node_in(db).rung, MS_RUNG_COUNTED);
	database_clear(db);
	run_on(db, 3, 1);
	CHECK_NEAR(node_in(db).value, 3, 0);
	arena_free(arena);
}

/* From node 0 to 2 early on: unknown until nine of ten were on 2; what is not sure to have been there is not counted. */
TEST(nodes__a_thread_that_moves_for_good)
{
	struct arena *arena = arena_new();
	struct database *db = new_database(arena);

	run_on(db, 0, 2);
	run_on(db, 2, 2);
	CHECK_INT(node_in(db).missing, MS_MISSING_MOVED);
	run_on(db, 2, 1);                        /* the most: 3 of 5, at least 1 of them */
	CHECK_INT(node_in(db).missing, MS_MISSING_MOVED);
	run_on(db, 2, 34);
	CHECK_INT(node_in(db).missing, MS_MISSING_MOVED);
	run_on(db, 2, 1);                        /* 36 and 4 */
	CHECK_INT(node_in(db).missing, MS_PRESENT);
	CHECK_NEAR(node_in(db).value, 2, 0);
	arena_free(arena);
}

/* Of three nodes in turn none is home, however it is counted. */
TEST(nodes__a_thread_that_wanders)
{
	struct arena *arena = arena_new();
	struct database *db = new_database(arena);

	for (int i = 0; i < 300; i++) {
		run_on(db, i % 3, 1);
		CHECK(i == 0 || node_in(db).missing == MS_MISSING_MOVED);
	}
	arena_free(arena);
}

static void copy(void *ctx, const struct ms_measurement *row, uint64_t phases, double observed_ns)
{
	(void)phases, (void)observed_ns;
	CHECK_INT(database_add(ctx, row), MS_OK);
}

/* What is written down of a thread that wandered is not taken for a node by whoever reads it. */
TEST(nodes__rows_say_whether_a_node_lasted)
{
	struct arena *arena = arena_new();
	struct database *moved = new_database(arena), *stayed = new_database(arena), *again = new_database(arena);

	run_on(moved, 0, 3);
	run_on(moved, 1, 2);
	run_on(stayed, 1, 19);
	run_on(stayed, 0, 1);
	database_each(stayed, copy, again);
	database_execution_end(again, 100, 1);
	CHECK_NEAR(node_in(again).value, 1, 0);
	CHECK_INT(node_in(again).missing, MS_PRESENT);
	database_each(moved, copy, again);
	database_execution_end(again, 100, 1);
	CHECK_INT(node_in(again).missing, MS_MISSING_MOVED);
	again = new_database(arena);
	database_each(moved, copy, again);
	database_execution_end(again, 100, 1);
	CHECK_INT(node_in(again).missing, MS_MISSING_MOVED);
	arena_free(arena);
}
