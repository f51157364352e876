/* SPDX-License-Identifier: Apache-2.0 */
/* Few counters: who gets one, in which order, and that everybody does. */
#include "analysis/search/counter_slots.h"
#include "analysis/search/database_reading.h"

#include "tests/host/replay.h"
#include "tests/unit/search.h"

/* metrics of tests/experiments/counters.txt that its machine can count */
#define COUNTERS 20
#define FIRST MS_METRIC_CYCLES

/* At most *ctx at once. */
static bool fits(void *ctx, const uint32_t *metrics, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		CHECK(slots_limit(metrics[i]));
	return nr <= *(size_t *)ctx;
}

static size_t room = 4;

TEST(counter_slots__what_is_no_counter_needs_none)
{
	struct slots slots;

	slots_init(&slots, fits, &(size_t){ 0 });
	CHECK(slots_take(&slots, MS_METRIC_TIME) && slots_has(&slots, MS_METRIC_TIME));
	CHECK(!slots_take(&slots, MS_METRIC_LOADS));
	slots_init(&slots, NULL, NULL);
	CHECK(slots_take(&slots, MS_METRIC_LOADS) && slots_has(&slots, MS_METRIC_STORES));
}

TEST(counter_slots__all_or_none)
{
	static const uint32_t three[] = { MS_METRIC_LOADS, MS_METRIC_STORES, MS_METRIC_HITM },
			      two[] = { MS_METRIC_HITM, MS_METRIC_CYCLES };
	static const uint32_t others[] = { MS_METRIC_DRAM_LOCAL, MS_METRIC_DRAM_REMOTE };
	struct slots slots;

	slots_init(&slots, fits, &room);
	CHECK(slots_take_all(&slots, three, 3));
	CHECK(!slots_take_all(&slots, others, 2));
	CHECK_INT(slots.nr, 3);
	CHECK(slots_take_all(&slots, two, 2)); /* one of them is measured anyway */
	CHECK(slots_has(&slots, MS_METRIC_CYCLES) && !slots_has(&slots, MS_METRIC_DRAM_LOCAL));
	CHECK(!slots_take(&slots, MS_METRIC_DRAM_LOCAL));
	slots_shrink(&slots, 3);
	CHECK(slots_take(&slots, MS_METRIC_DRAM_LOCAL));
	CHECK(slots_fit_alone(&slots, others, 2));
}

/*
 * ------------------------------------------------------------------ a search that has four
 * counters
 */

/* A property that is about these metrics of a parallel region. */
static const char *about(struct arena *arena, size_t first, size_t nr, const char *condition)
{
	const char *sum = arena_printf(arena, "sum(r.%s)",
				       ms_metric_info(FIRST + (uint32_t)first)->name);

	for (size_t i = first + 1; i < first + nr; i++)
		sum = arena_printf(arena, "%s + sum(r.%s)", sum,
				   ms_metric_info(FIRST + (uint32_t)i)->name);
	return arena_printf(
		arena,
		"PROPERTY About%zu(Region r, Phase p) { TITLE \"t\"; KINDS PARALLEL_REGION; LET all = %s; IN\n"
		"CONDITION: all > %s; CONFIDENCE: 1; SEVERITY: 1; EXPLANATION \"e\"; ADVICE \"a\"; }\n",
		first, sum, condition);
}

struct machine_test {
	struct arena *arena;
	struct replay *replay;
	struct database *db;
	struct property_set *set;
	struct engine_config config;
	struct engine *engine;
	uint64_t counted[MS_METRICS]; /* executions */
	uint64_t changes;
};

static struct machine_test machine_test(const char *properties)
{
	struct machine_test test = { .arena = arena_new() };

	test.replay = replay_read(test.arena, "tests/experiments/counters.txt");
	CHECK(test.replay != NULL);
	test.db = database_new(test.arena);
	test.set = properties_of(test.arena, properties);
	engine_config_init(&test.config);
	replay_configure(test.replay, &test.config);
	replay_prepare(test.replay, test.db);
	return test;
}

/* What is requested fits together, or the machine could not measure it. */
static void count_requested(struct machine_test *test, const struct ms_request *requests, size_t nr)
{
	uint32_t metrics[MS_METRICS];
	bool asked[MS_METRICS] = { false };
	size_t nr_metrics = 0;

	for (size_t i = 0; i < nr; i++)
		asked[requests[i].metric] |= slots_limit(requests[i].metric);
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		test->counted[metric] += asked[metric];
		if (asked[metric])
			metrics[nr_metrics++] = metric;
	}
	CHECK(!nr_metrics || test->config.fits(test->config.fits_ctx, metrics, nr_metrics));
}

static void machine_run(struct machine_test *test, uint64_t executions)
{
	const struct ms_request *requests;
	size_t nr;

	if (!test->engine)
		test->engine = engine_new(test->arena, &test->config, test->set, test->db,
					  &strategy_of_bricks);
	nr = engine_requests(test->engine, &requests);
	database_requests(test->db, requests, nr);
	for (uint64_t i = 0; i < executions; i++) {
		struct engine_cost cost;

		count_requested(test, requests, nr);
		replay_execution(test->replay, test->db, requests, nr, &cost);
		if (!engine_execution_done(test->engine, &cost))
			continue;
		test->changes++;
		nr = engine_requests(test->engine, &requests);
		database_requests(test->db, requests, nr);
	}
}

static const struct engine_node *node_about(const struct machine_test *test, size_t first)
{
	const char *name = arena_printf(test->arena, "About%zu", first);

	for (uint32_t id = 0; id < engine_nodes(test->engine); id++)
		if (!strcmp(property_name(test->set->properties[engine_node(test->engine, id)
									->candidate.property]),
			    name))
			return engine_node(test->engine, id);
	test_fail(__FILE__, __LINE__, "nobody asked for %s", name);
}

static double counted_by(const struct machine_test *test, uint32_t thread, uint32_t metric)
{
	return database_reading(test->db, DATABASE_ALL_BATCHES, 1, thread, metric).value;
}

TEST(counter_slots__twenty_counters_get_their_turn_on_four)
{
	struct arena *arena = arena_new();
	const char *text = "";
	struct machine_test test;
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < COUNTERS; i++)
		text = arena_printf(arena, "%s%s", text, about(arena, i, 1, i % 2 ? "1" : "1e12"));
	test = machine_test(text);
	machine_run(&test, 2 * COUNTERS / 4 + 8); /* two executions each are the minimum */
	for (size_t i = 0; i < COUNTERS; i++) {
		uint64_t counted = test.counted[FIRST + i];

		least = counted < least ? counted : least;
		most = counted > most ? counted : most;
		CHECK_NEAR(counted_by(&test, 3, FIRST + (uint32_t)i), 1000.0 * (double)(i + 1),
			   1e-6);
	}
	CHECK(least >= 2 && most <= 2 * least);
	machine_run(&test, 100);
	for (size_t i = 0; i < COUNTERS; i++)
		CHECK_INT(node_about(&test, i)->state, i % 2 ? MS_NODE_TRUE : MS_NODE_FALSE);
}

/* Re-tests do not forget anybody either. */
TEST(counter_slots__retests_are_for_all)
{
	struct arena *arena = arena_new();
	const char *text = "";
	struct machine_test test;
	uint64_t before[COUNTERS];

	for (size_t i = 0; i < COUNTERS; i++)
		text = arena_printf(arena, "%s%s", text, about(arena, i, 1, i % 2 ? "1" : "1e12"));
	test = machine_test(text);
	machine_run(&test, 100);
	memcpy(before, &test.counted[FIRST], sizeof(before));
	machine_run(&test, 300);
	for (size_t i = 0; i < COUNTERS; i++)
		CHECK_THAT(test.counted[FIRST + i], >=, before[i] + 2);
}

TEST(counter_slots__a_property_of_twenty_counters_is_measured_in_parts)
{
	struct arena *arena = arena_new();
	/* 4 threads * 1000 * (1 + … + 20) = 840000 */
	struct machine_test test = machine_test(about(arena, 0, COUNTERS, "839999"));

	machine_run(&test, 60);
	CHECK_INT(node_about(&test, 0)->state, MS_NODE_TRUE);
	CHECK_NEAR(node_about(&test, 0)->verdict.evidence[0].reading.value, 840000, 1e-6);
}

/*
 * What fits alone is never taken apart, so that the parts of a ratio come from the same executions.
 */
TEST(counter_slots__what_fits_is_measured_together)
{
	struct arena *arena = arena_new();
	const char *text = "";
	struct machine_test test;

	for (size_t i = 0; i < COUNTERS - 2; i += 3)
		text = arena_printf(arena, "%s%s", text, about(arena, i, 3, "1e12"));
	test = machine_test(text);
	machine_run(&test, 200);
	for (size_t i = 0; i < COUNTERS - 2; i += 3) {
		CHECK_INT(node_about(&test, i)->state, MS_NODE_FALSE);
		for (size_t k = 1; k < 3 && i != 6; k++)
			CHECK_INT(test.counted[FIRST + i], test.counted[FIRST + i + k]);
	}
}

TEST(counter_slots__a_counter_that_does_not_fit_alone_is_missing)
{
	static const char text[] =
		"PROPERTY About0(Region r, Phase p) { TITLE \"t\"; KINDS PARALLEL_REGION; LET all = sum(r.dram_reads); IN\n"
		"CONDITION: all > 1; CONFIDENCE: 1; SEVERITY: 1; EXPLANATION \"e\"; ADVICE \"a\"; }\n";
	struct machine_test test = machine_test(text);

	machine_run(&test, 20);
	CHECK_INT(node_about(&test, 0)->state, MS_NODE_UNKNOWN);
	CHECK_INT(node_about(&test, 0)->verdict.missing, MS_MISSING_NO_ROOM);
	CHECK_INT(test.counted[MS_METRIC_DRAM_READS], 0);
}

/* ------------------------------------------------------------------ the user's events */

static void name_events(struct machine_test *test, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		test->config.extra[i] = MS_METRIC_EVENT_1 + i;
	test->config.nr_extra = nr;
}

TEST(counter_slots__named_events_are_always_counted)
{
	struct arena *arena = arena_new();
	struct machine_test test = machine_test(about(arena, 0, 3, "1"));
	struct ms_request want = { .metric = MS_METRIC_EVENT_1,
				   .region = 0,
				   .thread = MS_REQUEST_ALL_THREADS,
				   .flags = MS_REQUEST_SUBREGIONS };
	const struct ms_request *requests;
	bool found = false;
	size_t nr;

	name_events(&test, 1);
	/* also when the search has nothing to ask */
	machine_run(&test, 100);
	CHECK_INT(test.counted[MS_METRIC_EVENT_1], 100);
	CHECK_INT(node_about(&test, 0)->state, MS_NODE_TRUE);
	nr = engine_requests(test.engine, &requests);
	for (size_t i = 0; i < nr; i++)
		/* in regions of every kind */
		found |= !memcmp(&requests[i], &want, sizeof(want));
	CHECK(found);
}

TEST(counter_slots__named_events_leave_something_to_the_search)
{
	struct arena *arena = arena_new();
	struct machine_test test = machine_test(about(arena, 0, 4, "1"));

	name_events(&test, 4);
	machine_run(&test, 100);
	CHECK_INT(node_about(&test, 0)->state, MS_NODE_TRUE);
	CHECK_THAT(test.counted[MS_METRIC_EVENT_1], >=, 50);
}

/* … and once all have been seen enough, only in some of the executions, all alike. */
TEST(counter_slots__too_many_named_events_take_turns)
{
	struct arena *arena = arena_new();
	struct machine_test test = machine_test(about(arena, 0, 1, "1"));
	uint64_t least = UINT64_MAX, most = 0;

	name_events(&test, 8);
	machine_run(&test, 20);
	for (uint32_t i = 0; i < 8; i++)
		CHECK_THAT(test.counted[MS_METRIC_EVENT_1 + i], >=, 8);
	machine_run(&test, 400);
	for (uint32_t i = 0; i < 8; i++) {
		uint64_t counted = test.counted[MS_METRIC_EVENT_1 + i];

		least = counted < least ? counted : least;
		most = counted > most ? counted : most;
	}
	CHECK(least >= 20 && most <= 80 && most - least <= 10);
	CHECK_INT(node_about(&test, 0)->state, MS_NODE_TRUE);
}

/* The user's events cost, too. */
TEST(counter_slots__named_events_keep_to_the_limit)
{
	struct arena *arena = arena_new();
	struct machine_test test = machine_test(about(arena, 0, 1, "1e12"));
	struct engine_cost dear = { .executions = 1,
				    .program_ns = EXECUTION_NS,
				    .tool_ns = 0.5 * EXECUTION_NS };
	const struct ms_request *requests;
	uint64_t with = 0;

	for (size_t i = 0; i < MS_SENSORS; i++)
		dear.per_sensor_ns[i] = NAN;
	name_events(&test, 1);
	test.engine = engine_new(test.arena, &test.config, test.set, test.db, &strategy_of_bricks);
	for (int i = 0; i < 200; i++) {
		size_t nr = engine_requests(test.engine, &requests);

		dear.tool_ns = nr ? 0.5 * EXECUTION_NS : 0;
		with += nr > 0;
		database_requests(test.db, requests, nr);
		database_execution_begin(test.db);
		row(test.db, 1, 0, MS_METRIC_TIME, EXECUTION_NS);
		database_execution_end(test.db, EXECUTION_NS, 1);
		engine_execution_done(test.engine, &dear);
	}
	/* 5 % of the time at 50 % each are a tenth of them */
	CHECK_THAT(with, >, 0);
	CHECK_THAT(with, <, 40);
	CHECK(engine_budget_bound(test.engine));
}

/* ------------------------------------------------------------------ everything, in turn */

TEST(counter_slots__everything_goes_round)
{
	struct machine_test test = machine_test("");
	uint32_t metrics[COUNTERS + 2];
	uint64_t counted[MS_METRICS] = { 0 };
	const struct ms_request *requests;
	bool left_out;
	size_t nr;

	for (uint32_t i = 0; i < COUNTERS; i++)
		metrics[i] = FIRST + i;
	metrics[COUNTERS] = MS_METRIC_EVENT_1;
	metrics[COUNTERS + 1] = MS_METRIC_TIME;
	name_events(&test, 1);
	test.engine = engine_new(test.arena, &test.config, test.set, test.db, &strategy_of_bricks);
	for (int i = 0; i < 21; i++) {
		nr = engine_requests_of(test.engine, metrics, COUNTERS + 2, &requests, &left_out);
		CHECK(left_out);
		CHECK_INT(nr, 5);
		for (size_t k = 0; k < nr; k++)
			counted[requests[k].metric]++;
		count_requested(&test, requests, nr);
		database_requests(test.db, requests, nr);
		database_execution_end(test.db, EXECUTION_NS, 1);
	}
	CHECK_INT(counted[MS_METRIC_EVENT_1], 21);
	CHECK_INT(counted[MS_METRIC_TIME], 21);
	for (uint32_t i = 0; i < COUNTERS; i++)
		CHECK(counted[FIRST + i] >= 3 && counted[FIRST + i] <= 4);
}

/* A short program that is run again has other counters in each run. */
TEST(counter_slots__earlier_runs_had_their_turn)
{
	struct machine_test test = machine_test("");
	uint32_t metrics[COUNTERS];
	const struct ms_request *requests;
	bool left_out;
	size_t nr;

	test.engine = engine_new(test.arena, &test.config, test.set, test.db, &strategy_of_bricks);
	for (uint32_t i = 0; i < COUNTERS; i++) {
		metrics[i] = FIRST + i;
		engine_measured_before(test.engine, FIRST + i, i >= 4 && i < 8 ? 0 : 1);
	}
	nr = engine_requests_of(test.engine, metrics, COUNTERS, &requests, &left_out);
	CHECK_INT(nr, 4);
	for (size_t i = 0; i < nr; i++)
		CHECK(requests[i].metric >= FIRST + 4 && requests[i].metric < FIRST + 8);
}

/*
 * ------------------------------------------------------------------ readings that were not to be
 * had
 */

static void counter_rows(struct database *db, uint32_t thread, int times, int readings)
{
	for (int i = 0; i < times; i++)
		row(db, 1, thread, MS_METRIC_TIME, 100);
	for (int i = 0; i < readings; i++) {
		row(db, 1, thread, MS_METRIC_LOADS, 10);
		row(db, 0, thread, MS_METRIC_LOADS, 10);
	}
}

static struct database *counting(void)
{
	static const struct ms_request requests[] = {
		{ .metric = MS_METRIC_TIME,
		  .thread = MS_REQUEST_ALL_THREADS,
		  .flags = MS_REQUEST_SUBREGIONS },
		{ .metric = MS_METRIC_LOADS,
		  .thread = MS_REQUEST_ALL_THREADS,
		  .flags = MS_REQUEST_SUBREGIONS },
	};
	struct database *db = database_new(arena_new());

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	region(db, 1, 0, MS_PARALLEL_REGION);
	database_requests(db, requests, 2);
	return db;
}

TEST(counter_slots__no_reading_is_no_zero)
{
	struct database *db = counting();

	counter_rows(db, 0, 2, 2);
	counter_rows(db, 1, 2, 0); /* its counters could not be opened */
	row(db, 1, 2, MS_METRIC_TIME, 100);
	row(db, 1, 2, MS_METRIC_LOADS, 0); /* it loaded nothing */
	database_execution_end(db, EXECUTION_NS, 1);
	for (uint32_t id = 0; id < 2; id++) {
		CHECK_NEAR(database_reading(db, DATABASE_ALL_BATCHES, id, 0, MS_METRIC_LOADS).value,
			   20, 0);
		CHECK_INT(
			database_reading(db, DATABASE_ALL_BATCHES, id, 1, MS_METRIC_LOADS).missing,
			MS_MISSING_UNCOVERED);
	}
	CHECK_INT(database_reading(db, DATABASE_ALL_BATCHES, 1, 2, MS_METRIC_LOADS).missing,
		  MS_PRESENT);
	CHECK_NEAR(database_reading(db, DATABASE_ALL_BATCHES, 1, 2, MS_METRIC_LOADS).value, 0, 0);
}

/* A thread that did not execute the region while it was counted there has a true 0. */
TEST(counter_slots__not_executed_is_a_zero)
{
	static const struct ms_request time = { .metric = MS_METRIC_TIME,
						.region = 1,
						.thread = MS_REQUEST_ALL_THREADS };
	static const struct ms_request both[] = {
		{ .metric = MS_METRIC_TIME, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
		{ .metric = MS_METRIC_LOADS, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
	};
	struct database *db = counting();

	database_requests(db, &time, 1);
	counter_rows(db, 0, 1, 0);
	counter_rows(db, 1, 1, 0);
	database_execution_end(db, EXECUTION_NS, 1);
	database_requests(db, both, 2);
	counter_rows(db, 0, 1, 1);
	database_execution_end(db, EXECUTION_NS, 1);
	CHECK_INT(database_reading(db, DATABASE_ALL_BATCHES, 1, 1, MS_METRIC_LOADS).missing,
		  MS_PRESENT);
	CHECK_NEAR(database_reading(db, DATABASE_ALL_BATCHES, 1, 1, MS_METRIC_LOADS).value, 0, 0);
}

TEST(counter_slots__lost_readings_are_like_the_others)
{
	struct database *db = counting();

	counter_rows(db, 0, 4, 3);
	counter_rows(db, 1, 4, 4);
	database_execution_end(db, EXECUTION_NS, 1);
	CHECK_NEAR(database_reading(db, DATABASE_ALL_BATCHES, 1, 0, MS_METRIC_LOADS).value, 40,
		   1e-12);
	CHECK_NEAR(database_reading(db, DATABASE_ALL_BATCHES, 1, 1, MS_METRIC_LOADS).value, 40,
		   1e-12);
}

/* What was stolen from is not counted, and what comes later is. */
TEST(counter_slots__what_is_forgotten_starts_anew)
{
	struct database *db = counting();

	counter_rows(db, 0, 4, 1);
	database_execution_end(db, EXECUTION_NS, 1);
	database_forget(db, MS_METRIC_LOADS);
	CHECK_INT(database_reading(db, DATABASE_ALL_BATCHES, 1, 0, MS_METRIC_LOADS).missing,
		  MS_MISSING_NOT_REQUESTED);
	CHECK_INT(database_observed(db, 1, MS_METRIC_LOADS), 0);
	CHECK_INT(database_observed(db, 1, MS_METRIC_TIME), 1);
	for (int i = 0; i < 5; i++) {
		counter_rows(db, 0, 1, 1);
		database_execution_end(db, EXECUTION_NS, 1);
	}
	CHECK_INT(database_observed(db, 1, MS_METRIC_LOADS), 5);
	CHECK_NEAR(database_reading(db, DATABASE_ALL_BATCHES, 1, 0, MS_METRIC_LOADS).value, 10,
		   1e-12);
	CHECK_NEAR(database_reading(db, 0, 1, 0, MS_METRIC_LOADS).value, 10, 1e-12);
}
