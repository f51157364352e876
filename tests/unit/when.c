/* SPDX-License-Identifier: Apache-2.0 */
/* The when-axis of the search: intervals, their values, and what is tested in them. */
#include "analysis/search/database_changes.h"
#include "analysis/search/database_intervals.h"
#include "analysis/search/database_reading.h"
#include "tests/unit/search.h"

#define ANYWHERE "KINDS USER_REGION, PARALLEL_REGION;"
#define WAITING WAITS("Waiting", ANYWHERE, "share > 10 %")

static void declare(struct database *db, uint32_t id, const char *name)
{
	struct database_interval interval = { .id = id, .kind = MS_INTERVAL_MARKED };

	snprintf(interval.name, sizeof(interval.name), "%s", name);
	CHECK_INT(database_interval(db, &interval), MS_OK);
}

#define BIT(id) (1ull << (id))

/* One execution with a wait of `share` on each thread, in these intervals. */
static void execute(struct search_test *test, double share, uint64_t in)
{
	test->waits[0] = share;
	database_intervals_set(test->db, in, in);
	search_execute(test);
}

static void execute_times(struct search_test *test, int times, double share, uint64_t in)
{
	for (int i = 0; i < times; i++)
		execute(test, share, in);
}

/* MS_NODE_STATES: nobody asked. */
static enum ms_node_state state_during(const struct search_test *test, const char *property,
				       uint32_t region_id, uint32_t interval)
{
	for (uint32_t id = 0; id < engine_nodes(test->engine); id++) {
		const struct engine_node *node = engine_node(test->engine, id);

		if (node->candidate.region == region_id && node->candidate.interval == interval &&
		    !strcmp(property_name(test->set->properties[node->candidate.property]),
			    property))
			return node->state;
	}
	return MS_NODE_STATES;
}

/* ------------------------------------------------------------------ values */

static double wait_of(const struct database *db, uint32_t interval)
{
	struct ms_reading reading = database_reading(
		database_during(db, interval), DATABASE_ALL_BATCHES, 0, 0, MS_METRIC_BARRIER_WAIT);

	CHECK_INT(reading.missing, MS_PRESENT);
	return reading.value;
}

static void run_execution(struct database *db, double wait, uint64_t in, uint64_t open)
{
	row(db, 0, 0, MS_METRIC_BARRIER_WAIT, wait);
	database_intervals_set(db, in, open);
	database_execution_end(db, 100, 1);
}

TEST(when__values_grow_with_the_interval_and_stop_at_its_end)
{
	struct database *db = database_new(arena_new());

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	declare(db, 1, "a");
	request(db, 0, MS_METRIC_BARRIER_WAIT, 0);
	run_execution(db, 10, 0, BIT(1));
	run_execution(db, 40, BIT(1), BIT(1));
	CHECK_NEAR(wait_of(db, 1), 40, 1e-9);
	run_execution(db, 60, BIT(1), 0);
	CHECK_NEAR(wait_of(db, 1), 50, 1e-9);
	run_execution(db, 90, 0, 0);
	CHECK_NEAR(wait_of(db, 1), 50, 1e-9);
	CHECK_NEAR(wait_of(db, MS_INTERVAL_WHOLE), 50, 1e-9);
	CHECK_INT(database_executions(database_during(db, 1)), 2);
	CHECK_INT(database_interval_extent(db, 1).first, 2);
	CHECK_INT(database_interval_extent(db, 1).last, 3);
	CHECK(!database_during(db, 2));
}

/* Constants and missing metrics are those of the run; executions are the interval's own. */
TEST(when__an_interval_has_the_constants)
{
	struct database *db = database_new(arena_new());
	const struct database *during;
	struct database_view view;
	struct property_context context;

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	database_constant(db, "before", 1);
	declare(db, 1, "a");
	database_constant(db, "after", 2);
	database_constant(db, "phase_executions", 9);
	database_missing(db, MS_REGION_NONE, MS_METRIC_SAMPLES, MS_MISSING_BUDGET);
	run_execution(db, 1, BIT(1), 0);
	during = database_during(db, 1);
	context = database_context(&view, during, DATABASE_ALL_BATCHES, 0);
	CHECK_NEAR(context.constant(context.data, "before").value, 1, 1e-9);
	CHECK_NEAR(context.constant(context.data, "after").value, 2, 1e-9);
	CHECK_NEAR(context.constant(context.data, "phase_executions").value, 1, 1e-9);
	CHECK_INT(database_missing_why(during, 0, MS_METRIC_SAMPLES), MS_MISSING_BUDGET);
}

/* Also of one that is declared while the phase runs. */
TEST(when__an_interval_declared_late_counts_its_own_executions)
{
	struct database *db = database_new(arena_new());
	struct database_view view;
	struct property_context context;

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	database_constant(db, "phase_executions", 9);
	declare(db, 1, "a");
	run_execution(db, 1, BIT(1), 0);
	context = database_context(&view, database_during(db, 1), DATABASE_ALL_BATCHES, 0);
	CHECK_NEAR(context.constant(context.data, "phase_executions").value, 1, 1e-9);
}

/* What is requested already is measured in an interval that is declared later. */
TEST(when__an_interval_declared_late_has_the_requests)
{
	struct database *db = database_new(arena_new());

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	request(db, 0, MS_METRIC_BARRIER_WAIT, 0);
	run_execution(db, 10, 0, 0);
	declare(db, 1, "a");
	run_execution(db, 20, BIT(1), BIT(1));
	CHECK_NEAR(wait_of(db, 1), 20, 1e-9);
	database_clear(db);
	run_execution(db, 30, BIT(1), BIT(1));
	CHECK_NEAR(wait_of(db, 1), 30, 1e-9);
	CHECK_INT(database_interval_extent(db, 1).first, 1);
}

static uint64_t parents_of(const struct database *db, uint32_t interval)
{
	struct ms_interval_info info;

	CHECK(database_interval_info(db, interval, &info));
	return info.parents;
}

/*
 *     execution   1 2 3 4 5 6
 *     a           ■ ■ ■ ■
 *     b             ■ ■           in a
 *     c               ■ ■ ■       overlaps a and b
 *     d               ■           in b and c
 *     e             ■ ■           as b
 */
TEST(when__intervals_are_nested_and_overlap)
{
	static const uint64_t in[] = { BIT(1),
				       BIT(1) | BIT(2) | BIT(5),
				       BIT(1) | BIT(2) | BIT(3) | BIT(4) | BIT(5),
				       BIT(1) | BIT(3),
				       BIT(3),
				       0 };
	struct database *db = database_new(arena_new());
	struct ms_interval_info info;

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	for (uint32_t id = 1; id <= 6; id++)
		declare(db, id, "i");
	for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++)
		run_execution(db, 1, in[i], in[i]);
	CHECK_INT(parents_of(db, 1), BIT(MS_INTERVAL_WHOLE));
	CHECK_INT(parents_of(db, 2), BIT(1));
	CHECK_INT(parents_of(db, 3), BIT(MS_INTERVAL_WHOLE));
	CHECK_INT(parents_of(db, 4), BIT(3) | BIT(5));
	CHECK_INT(parents_of(db, 5), BIT(2));
	CHECK_INT(parents_of(db, 6), BIT(MS_INTERVAL_WHOLE)); /* never open */
	CHECK(!database_interval_info(db, MS_INTERVAL_WHOLE, &info));
	CHECK(!database_interval_info(db, 7, &info));
}

TEST(when__bad_intervals_are_refused)
{
	struct database *db = database_new(arena_new());
	struct database_interval interval = { .id = 2 };

	CHECK_INT(database_interval(db, &interval), MS_ERR_INVALID);
	interval.id = MS_INTERVAL_WHOLE;
	CHECK_INT(database_interval(db, &interval), MS_ERR_INVALID);
	interval = (struct database_interval){ .id = 1, .kind = MS_INTERVAL_KINDS };
	CHECK_INT(database_interval(db, &interval), MS_ERR_INVALID);
	interval.kind = 0;
	memset(interval.name, 'x', sizeof(interval.name));
	CHECK_INT(database_interval(db, &interval), MS_ERR_INVALID);
	for (uint32_t id = 1; id < MS_INTERVALS_MOST; id++)
		declare(db, id, "i");
	interval = (struct database_interval){ .id = MS_INTERVALS_MOST };
	CHECK_INT(database_interval(db, &interval), MS_ERR_INVALID);
}

static void copy_change(void *ctx, const struct database_change *change)
{
	CHECK_INT(database_copy_change(ctx, change), MS_OK);
}

/* The database of another process has the same intervals. */
TEST(when__a_copy_has_the_intervals)
{
	struct arena *arena = arena_new();
	struct database *db = database_new(arena);
	struct database_copy copy = { .db = database_new(arena), .arena = arena };

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	declare(db, 1, "a");
	database_describe(db, copy_change, &copy);
	database_follow(db, copy_change, &copy);
	declare(db, 2, "b");
	request(db, 0, MS_METRIC_BARRIER_WAIT, 0);
	run_execution(db, 10, BIT(1), BIT(1) | BIT(2));
	run_execution(db, 30, BIT(1) | BIT(2), 0);
	CHECK_NEAR(wait_of(copy.db, 1), 20, 1e-9);
	CHECK_NEAR(wait_of(copy.db, 2), 30, 1e-9);
	CHECK_STR(database_interval_name(copy.db, 2), "b");
}

/* ------------------------------------------------------------------ the search */

/* No region and no thread stands out, but a part of the run does. */
TEST(when__is_refined_where_where_cannot_isolate)
{
	struct search_test test = search_test(WAITING);

	declare(test.db, 1, "waits");
	declare(test.db, 2, "works");
	search_begin(&test);
	execute_times(&test, 20, 0.6, BIT(1));
	execute_times(&test, 20, 0, BIT(2));
	execute_times(&test, 20, 0.6, BIT(1));
	CHECK_INT(state_during(&test, "Waiting", 0, MS_INTERVAL_WHOLE), MS_NODE_TRUE);
	engine_finish(test.engine);
	CHECK_INT(state_during(&test, "Waiting", 0, 1), MS_NODE_TRUE);
	CHECK_INT(state_during(&test, "Waiting", 0, 2), MS_NODE_FALSE);
	for (uint32_t id = 0; id < engine_nodes(test.engine); id++) {
		const struct engine_node *node = engine_node(test.engine, id);

		if (node->candidate.interval == 1)
			CHECK_NEAR(node->verdict.severity, 0.6, 1e-6);
	}
}

/* Why, then where, then when: the region inside is tested in the interval, not what is around it. */
TEST(when__follows_where)
{
	struct search_test test = search_test(WAITING);

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	test.waits[1] = 0.5;
	declare(test.db, 1, "all");
	search_begin(&test);
	execute_times(&test, 20, 0.5, BIT(1));
	CHECK_INT(state_during(&test, "Waiting", 1, MS_INTERVAL_WHOLE), MS_NODE_TRUE);
	CHECK_INT(state_during(&test, "Waiting", 1, 1), MS_NODE_TRUE);
	CHECK_INT(state_during(&test, "Waiting", 0, 1), MS_NODE_STATES);
}

/* In an interval the search goes on along all axes, also into the intervals inside. */
TEST(when__is_refined_further)
{
	struct search_test test = search_test(
		WAITING WAITS("Long", ANYWHERE "REFINES Waiting;", "share > 60 %"));

	declare(test.db, 1, "outer");
	declare(test.db, 2, "inner");
	search_begin(&test);
	execute_times(&test, 40, 0, 0);
	for (int i = 0; i < 3; i++) {
		execute_times(&test, 40, 0.4, BIT(1));
		execute_times(&test, 20, 0.9, BIT(1) | BIT(2));
	}
	engine_finish(test.engine);
	CHECK_INT(state_during(&test, "Long", 0, MS_INTERVAL_WHOLE), MS_NODE_FALSE);
	CHECK_INT(state_during(&test, "Waiting", 0, 1), MS_NODE_TRUE);
	CHECK_INT(state_during(&test, "Long", 0, 1), MS_NODE_FALSE);
	CHECK_INT(state_during(&test, "Waiting", 0, 2), MS_NODE_TRUE);
	CHECK_INT(state_during(&test, "Long", 0, 2), MS_NODE_TRUE);
}

/* Measuring begins when most of the interval is over: not false, and not merely unknown. */
TEST(when__is_missed_by_what_is_measured_late)
{
	struct search_test test = search_test(WAITING);

	declare(test.db, 1, "early");
	declare(test.db, 2, "never");
	search_begin(&test);
	test.waits[0] = 0.5;
	for (int i = 0; i < 8; i++) { /* nothing is measured */
		database_intervals_set(test.db, BIT(1), BIT(1));
		search_pass(&test);
	}
	execute_times(&test, 4, 0.5, BIT(1));
	execute_times(&test, 20, 0.5, 0);
	CHECK_INT(state_during(&test, "Waiting", 0, MS_INTERVAL_WHOLE), MS_NODE_TRUE);
	engine_finish(test.engine);
	CHECK_INT(state_during(&test, "Waiting", 0, 1), MS_NODE_MISSED);
	CHECK_INT(state_during(&test, "Waiting", 0, 2), MS_NODE_STATES);
	CHECK(engine_restarts_would_help(test.engine));
}

/* The same interval, but it goes on: the data cover enough of it some time. */
TEST(when__waits_for_enough_of_an_open_interval)
{
	struct search_test test = search_test(WAITING);

	declare(test.db, 1, "long");
	search_begin(&test);
	test.waits[0] = 0.5;
	for (int i = 0; i < 8; i++) {
		database_intervals_set(test.db, BIT(1), BIT(1));
		search_pass(&test);
	}
	execute_times(&test, 4, 0.5, BIT(1));
	CHECK_INT(state_during(&test, "Waiting", 0, 1), MS_NODE_ACTIVE);
	execute_times(&test, 40, 0.5, BIT(1));
	CHECK_INT(state_during(&test, "Waiting", 0, 1), MS_NODE_TRUE);
}

/* Each of its few executions was observed: there are no more, so that the verdict is final. */
TEST(when__is_decided_by_all_executions_of_a_short_interval)
{
	struct search_test test = search_test(WAITING);

	declare(test.db, 1, "short");
	search_begin(&test);
	execute_times(&test, 1, 0.5, BIT(1));
	execute_times(&test, 20, 0.5, 0);
	engine_finish(test.engine);
	CHECK_INT(database_executions(database_during(test.db, 1)), 1);
	CHECK_INT(state_during(&test, "Waiting", 0, 1), MS_NODE_TRUE);
}

/* Requests between two of its executions measure nothing of it. */
TEST(when__is_missed_if_measured_outside_only)
{
	struct search_test test = search_test(WAITING);

	declare(test.db, 1, "short");
	search_begin(&test);
	execute_times(&test, 20, 0.5, 0);
	execute_times(&test, 1, 0.5, BIT(1));
	execute_times(&test, 20, 0.5, 0);
	engine_finish(test.engine);
	CHECK_INT(state_during(&test, "Waiting", 0, 1), MS_NODE_MISSED);
}

/* Nothing is measured for an interval that is not open; when it opens again the search goes on. */
TEST(when__nodes_wait_until_their_interval_is_open)
{
	struct search_test test = search_test(WAITING);

	declare(test.db, 1, "seldom");
	search_begin(&test);
	execute_times(&test, 10, 0.5, 0);
	execute_times(&test, 1, 0.5, BIT(1));
	execute_times(&test, 3, 0.5, 0);
	CHECK_INT(state_during(&test, "Waiting", 0, 1), MS_NODE_PENDING);
	execute_times(&test, 12, 0.5, BIT(1));
	CHECK_INT(state_during(&test, "Waiting", 0, 1), MS_NODE_TRUE);
}
