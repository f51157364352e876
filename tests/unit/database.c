/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The performance database: what is a value, what is 0, what is missing; scaling, batches, size and
 * speed.
 */
#include "analysis/search/database_intervals.h"
#include "analysis/search/database_reading.h"
#include "tests/unit/search.h"

static struct database *small_database(struct arena *arena)
{
	struct database *db = database_new(arena);

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	region(db, 1, 0, MS_PARALLEL_REGION);
	region(db, 2, 1, MS_DO_REGION);
	return db;
}

static struct ms_reading all(const struct database *db, uint32_t region_id, uint32_t thread,
			     uint32_t metric)
{
	return database_reading(db, DATABASE_ALL_BATCHES, region_id, thread, metric);
}

static double value(const struct database *db, uint32_t region_id, uint32_t thread, uint32_t metric)
{
	struct ms_reading reading = all(db, region_id, thread, metric);

	CHECK_INT(reading.missing, MS_PRESENT);
	return reading.value;
}

/* One execution of `wall` in which region 1 takes `time` on thread 0. */
static void execute(struct database *db, double wall, double time)
{
	database_execution_begin(db);
	row(db, 1, 0, MS_METRIC_TIME, time);
	database_execution_end(db, wall, 1);
}

TEST(database__regions_form_a_tree)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct ms_region_info info = { .id = 4, .parent = 0, .kind = MS_DO_REGION }, children[4];

	CHECK_INT(database_region(db, &info), MS_ERR_INVALID); /* 3 is missing */
	info = (struct ms_region_info){ .id = 3, .parent = 9, .kind = MS_DO_REGION };
	CHECK_INT(database_region(db, &info), MS_ERR_INVALID);
	region(db, 3, 0, MS_PARALLEL_REGION);
	region(db, 4, 3, MS_DO_REGION);
	CHECK_INT(database_children(db, 0, children, 4), 2);
	CHECK_INT(children[0].id, 1);
	CHECK_INT(children[1].id, 3);
	/* moves with what is below it */
	region(db, 1, 3, MS_PARALLEL_REGION);
	CHECK_INT(database_children(db, 0, children, 4), 1);
	CHECK_INT(database_children(db, 3, children, 1), 2);
	CHECK_INT(children[0].id, 4);
	info = (struct ms_region_info){ .id = 3, .parent = 2, .kind = MS_PARALLEL_REGION };
	CHECK_INT(database_region(db, &info), MS_ERR_INVALID); /* below itself */
	/* after the last child was moved */
	region(db, 5, 0, MS_PARALLEL_REGION);
	CHECK_INT(database_children(db, 0, children, 4), 2);
	CHECK_INT(children[1].id, 5);
	CHECK_INT(database_walk(db, 0, 0), 3);
	CHECK_INT(database_walk(db, 0, 2), 5);
	CHECK_INT(database_walk(db, 3, 2), MS_REGION_NONE);
	arena_free(arena);
}

TEST(database__values_are_those_of_a_mean_execution)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	execute(db, 400, 77); /* nobody asked */
	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 100, 30);
	execute(db, 300, 70);
	database_requests(db, NULL, 0);
	execute(db, 400, 99);
	CHECK_NEAR(database_phase_ns(db), 300, 1e-9);
	CHECK_NEAR(value(db, 1, 0, MS_METRIC_TIME), 100 * 300.0 / 400, 1e-9);
	CHECK_INT(database_observed(db, 1, MS_METRIC_TIME), 2);
	CHECK_NEAR(database_observed_ns(db, 1, MS_METRIC_TIME), 400, 1e-9);
	CHECK_INT(database_executions(db), 4);
	arena_free(arena);
}

TEST(database__unmeasured_is_never_zero)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct ms_request requests[] = {
		{ .metric = MS_METRIC_TIME, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
		{ .metric = MS_METRIC_MAJOR_FAULTS, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
		{ .metric = MS_METRIC_ALLOWED_CPUS, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
		{ .metric = MS_METRIC_MAJOR_FAULTS, .region = 2, .thread = MS_REQUEST_ALL_THREADS },
	};

	CHECK_INT(all(db, 1, 0, MS_METRIC_TIME).missing, MS_MISSING_NOT_REQUESTED);
	CHECK_INT(all(db, 99, 0, MS_METRIC_TIME).missing, MS_MISSING_NOT_REQUESTED);
	database_requests(db, requests, 4);
	/* no execution yet */
	CHECK_INT(all(db, 1, 0, MS_METRIC_TIME).missing, MS_MISSING_NOT_REQUESTED);
	execute(db, 100, 50);
	/*
	 * executed and requested, but nothing happened: 0 for what is counted, no value for a gauge
	 */
	CHECK_NEAR(value(db, 1, 0, MS_METRIC_MAJOR_FAULTS), 0, 0);
	CHECK_INT(all(db, 1, 0, MS_METRIC_MAJOR_FAULTS).rung, MS_RUNG_COUNTED);
	CHECK_INT(all(db, 1, 0, MS_METRIC_ALLOWED_CPUS).missing, MS_MISSING_NOT_EXECUTED);
	/* a thread that was not there; a region that was not executed; a metric nobody asked for */
	CHECK_INT(all(db, 1, 7, MS_METRIC_MAJOR_FAULTS).missing, MS_MISSING_NOT_EXECUTED);
	CHECK_INT(all(db, 2, 0, MS_METRIC_MAJOR_FAULTS).missing, MS_MISSING_NOT_EXECUTED);
	CHECK_INT(all(db, 1, 0, MS_METRIC_CPU_TIME).missing, MS_MISSING_NOT_REQUESTED);
	arena_free(arena);
}

TEST(database__a_region_seen_before_but_not_while_it_was_requested)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 100, 50);
	request(db, 1, MS_METRIC_MAJOR_FAULTS, 0);
	database_execution_begin(db);
	database_execution_end(db, 100, 1);
	CHECK_INT(all(db, 1, 0, MS_METRIC_MAJOR_FAULTS).missing, MS_MISSING_NOT_EXECUTED);
	/* a row nobody asked for shows that it ran */
	execute(db, 100, 50);
	CHECK_NEAR(value(db, 1, 0, MS_METRIC_MAJOR_FAULTS), 0, 0);
	arena_free(arena);
}

TEST(database__marks_win_over_values)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 100, 50);
	database_missing(db, 1, MS_METRIC_TIME, MS_MISSING_LOST);
	CHECK_INT(all(db, 1, 0, MS_METRIC_TIME).missing, MS_MISSING_LOST);
	database_missing(db, 1, MS_METRIC_TIME, MS_PRESENT);
	database_missing(db, MS_REGION_NONE, MS_METRIC_TIME, MS_MISSING_NOT_PERMITTED);
	CHECK_INT(all(db, 1, 0, MS_METRIC_TIME).missing, MS_MISSING_NOT_PERMITTED);
	CHECK_INT(database_missing_why(db, 2, MS_METRIC_TIME), MS_MISSING_NOT_PERMITTED);
	arena_free(arena);
}

TEST(database__gauges_keep_their_latest_value)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	request(db, 1, MS_METRIC_ALLOWED_CPUS, 0);
	for (int cpus = 4; cpus <= 8; cpus += 4) {
		database_execution_begin(db);
		row(db, 1, 0, MS_METRIC_ALLOWED_CPUS, cpus);
		database_execution_end(db, 100, 1);
	}
	CHECK_NEAR(value(db, 1, 0, MS_METRIC_ALLOWED_CPUS), 8, 0);
	CHECK_NEAR(database_reading(db, 3, 1, 0, MS_METRIC_ALLOWED_CPUS).value, 8, 0);
	arena_free(arena);
}

TEST(database__executions_go_to_batches_in_turn_whenever_they_are_observed)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	for (int i = 0; i < 5; i++) { /* one in three is observed */
		request(db, 1, MS_METRIC_TIME, 0);
		execute(db, 100, 10 * (i + 1));
		database_requests(db, NULL, 0);
		execute(db, 100, 1000);
		execute(db, 100, 1000);
	}
	CHECK_NEAR(database_reading(db, 0, 1, 0, MS_METRIC_TIME).value, (10 + 50) / 2.0, 1e-9);
	for (int batch = 1; batch < DATABASE_BATCHES; batch++)
		CHECK_NEAR(database_reading(db, batch, 1, 0, MS_METRIC_TIME).value,
			   10 * (batch + 1), 1e-9);
	arena_free(arena);
}

TEST(database__a_batch_without_executions_is_missing)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 100, 50);
	CHECK_NEAR(database_reading(db, 0, 1, 0, MS_METRIC_TIME).value, 50, 1e-9);
	CHECK_INT(database_reading(db, 1, 1, 0, MS_METRIC_TIME).missing, MS_MISSING_TOO_FEW);
	arena_free(arena);
}

TEST(database__errors)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 100, 50);
	CHECK_NEAR(all(db, 1, 0, MS_METRIC_TIME).error, 0, 0);
	execute(db, 100, 60);
	/* mean 55, deviation 7.0711, two values: t = 12.706 */
	CHECK_NEAR(all(db, 1, 0, MS_METRIC_TIME).error, 12.706 * 7.0710678 / sqrt(2), 1e-4);
	request(db, 1, MS_METRIC_SAMPLES, 0);
	database_execution_begin(db);
	row(db, 1, 0, MS_METRIC_SAMPLES, 100);
	database_execution_end(db, 100, 1);
	CHECK_NEAR(all(db, 1, 0, MS_METRIC_SAMPLES).error, 1.96 * 10, 1e-9);
	CHECK_INT(all(db, 1, 0, MS_METRIC_SAMPLES).rung, MS_RUNG_SAMPLED);
	arena_free(arena);
}

TEST(database__requests_for_subregions_hold_for_later_ones)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	request(db, 0, MS_METRIC_TIME, MS_REQUEST_SUBREGIONS);
	execute(db, 100, 50);
	execute(db, 100, 50);
	region(db, 3, 1, MS_BARRIER_REGION);
	database_execution_begin(db);
	row(db, 3, 0, MS_METRIC_TIME, 30);
	database_execution_end(db, 100, 1);
	/* it was looked for in all three executions, and ran in one */
	CHECK_INT(database_observed(db, 3, MS_METRIC_TIME), 3);
	CHECK_INT(database_observed_below(db, 1, MS_METRIC_TIME), 3);
	CHECK_NEAR(value(db, 3, 0, MS_METRIC_TIME), 10, 1e-9);
	/* requested for itself only: nothing is known of what is below */
	request(db, 1, MS_METRIC_LOCK_WAIT, 0);
	execute(db, 100, 50);
	region(db, 4, 1, MS_BARRIER_REGION);
	CHECK_INT(database_observed(db, 4, MS_METRIC_LOCK_WAIT), 0);
	CHECK_INT(database_observed_below(db, 1, MS_METRIC_LOCK_WAIT), 0);
	CHECK_INT(database_observed(db, 4, MS_METRIC_TIME), 3);
	arena_free(arena);
}

/* One execution of 100 in which each region and thread has `time`. */
static void execute_all(struct database *db, double time)
{
	database_execution_begin(db);
	for (uint32_t id = 1; id < database_regions(db); id++) {
		row(db, id, 0, MS_METRIC_TIME, time);
		row(db, id, 0, MS_METRIC_BARRIER_WAIT, time);
		row(db, id, 0, MS_METRIC_READS, time);
	}
	database_execution_end(db, 100, 1);
}

static void request_all(struct database *db)
{
	static const uint32_t metrics[] = { MS_METRIC_TIME, MS_METRIC_BARRIER_WAIT,
					    MS_METRIC_READS };
	struct ms_request requests[3];

	for (int i = 0; i < 3; i++)
		requests[i] = (struct ms_request){ .metric = metrics[i],
						   .thread = MS_REQUEST_ALL_THREADS,
						   .flags = MS_REQUEST_SUBREGIONS };
	database_requests(db, requests, 3);
}

/* Values below stay as they were, the region's own and those of recorded accesses go on. */
TEST(database__dropped_constructs)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct database_interval whole = { .id = 1, .name = "whole" };

	CHECK_INT(database_interval(db, &whole), MS_OK);
	database_intervals_set(db, 2, 2);
	region(db, 3, 0, MS_PARALLEL_REGION);
	request_all(db);
	execute_all(db, 10);
	database_drop(db, 1);
	CHECK(database_drops(db, 1) && !database_drops(db, 2) && !database_drops(db, 3));
	request_all(db);
	region(db, 4, 2, MS_BARRIER_REGION);
	execute_all(db, 20);
	for (uint32_t interval = 0; interval < 2; interval++) {
		const struct database *in = database_during(db, interval);

		CHECK_NEAR(value(in, 1, 0, MS_METRIC_TIME), 15, 1e-9);
		CHECK_NEAR(value(in, 1, 0, MS_METRIC_BARRIER_WAIT), 15, 1e-9);
		CHECK_NEAR(value(in, 2, 0, MS_METRIC_TIME), 10, 1e-9);
		CHECK_NEAR(value(in, 2, 0, MS_METRIC_READS), 15, 1e-9);
		CHECK_NEAR(value(in, 3, 0, MS_METRIC_TIME), 15, 1e-9);
		CHECK_INT(all(in, 4, 0, MS_METRIC_TIME).missing, MS_MISSING_DROPPED);
	}
	database_clear(db);
	CHECK(!database_drops(db, 1));
}

/* Tasks are executed at the region's end; a lock may be taken in other regions, too. */
TEST(database__dropped_tasks_and_locks)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	region(db, 3, 1, MS_TASK_REGION);
	region(db, 4, 0, MS_MUTEX);
	database_drop(db, 1);
	CHECK(database_is_dropped(db, 1, MS_METRIC_BARRIER_WAIT));
	CHECK(!database_is_dropped(db, 1, MS_METRIC_TIME));
	CHECK(!database_is_dropped(db, 4, MS_METRIC_LOCK_WAIT));
	region(db, 5, 2, MS_CRITICAL_REGION);
	database_drop(db, 1);
	CHECK(database_is_dropped(db, 4, MS_METRIC_LOCK_WAIT));
	CHECK(!database_is_dropped(db, 0, MS_METRIC_WALL_TIME));
}

TEST(database__requests_for_kinds_of_subregions)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct ms_request loops = {
		.metric = MS_METRIC_CPU_TIME,
		.region = 0,
		.thread = MS_REQUEST_ALL_THREADS,
		.flags = MS_REQUEST_SUBREGIONS,
		.kinds = 1 << MS_DO_REGION,
	};

	region(db, 3, 1, MS_BARRIER_REGION);
	database_requests(db, &loops, 1);
	execute(db, 100, 50);
	/* met later, below one that is not meant */
	region(db, 4, 3, MS_DO_REGION);
	execute(db, 100, 50);
	CHECK_INT(database_observed(db, 0, MS_METRIC_CPU_TIME), 2);
	CHECK_INT(database_observed(db, 3, MS_METRIC_CPU_TIME), 0);
	CHECK_INT(database_observed(db, 4, MS_METRIC_CPU_TIME), 2);
	CHECK_INT(database_observed_below(db, 0, MS_METRIC_CPU_TIME), 2);
	CHECK_INT(all(db, 3, 0, MS_METRIC_CPU_TIME).missing, MS_MISSING_NOT_REQUESTED);
	database_requests(db, NULL, 0);
	execute(db, 100, 50);
	CHECK_INT(database_observed(db, 4, MS_METRIC_CPU_TIME), 2);
	CHECK_INT(database_observed_below(db, 3, MS_METRIC_CPU_TIME), 2);
	arena_free(arena);
}

TEST(database__a_request_for_one_thread_says_nothing_of_the_others)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct ms_request request = { .metric = MS_METRIC_TIME, .region = 1, .thread = 1 };

	database_requests(db, &request, 1);
	database_execution_begin(db);
	row(db, 1, 0, MS_METRIC_TIME, 40);
	row(db, 1, 1, MS_METRIC_TIME, 60);
	database_execution_end(db, 100, 1);
	CHECK_INT(all(db, 1, 0, MS_METRIC_TIME).missing, MS_MISSING_NOT_REQUESTED);
	CHECK_NEAR(value(db, 1, 1, MS_METRIC_TIME), 60, 1e-9);
	CHECK_INT(database_observed(db, 1, MS_METRIC_TIME), 0);
	arena_free(arena);
}

TEST(database__clear_forgets_values_and_keeps_regions_and_requests)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 100, 50);
	execute(db, 100, 50);
	database_clear(db);
	CHECK_INT(database_regions(db), 3);
	CHECK_INT(database_executions(db), 0);
	CHECK_INT(database_observed(db, 1, MS_METRIC_TIME), 0);
	CHECK_INT(database_threads(db, 1, NULL, 0), 0);
	CHECK_INT(all(db, 1, 0, MS_METRIC_TIME).missing, MS_MISSING_NOT_REQUESTED);
	execute(db, 200, 30);
	CHECK_NEAR(value(db, 1, 0, MS_METRIC_TIME), 30, 1e-9);
	CHECK_INT(database_observed(db, 1, MS_METRIC_TIME), 1);
	arena_free(arena);
}

TEST(database__threads_in_any_order)
{
	static const uint32_t order[] = { 5, 0, 9, 1, 300, 2 }, sorted[] = { 0, 1, 2, 5, 9, 300 };
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	uint32_t threads[8];

	request(db, 1, MS_METRIC_TIME, 0);
	database_execution_begin(db);
	for (size_t i = 0; i < 6; i++)
		row(db, 1, order[i], MS_METRIC_TIME, order[i] + 1);
	database_execution_end(db, 100, 1);
	CHECK_INT(database_threads(db, 1, threads, 8), 6);
	for (size_t i = 0; i < 6; i++) {
		CHECK_INT(threads[i], sorted[i]);
		CHECK_NEAR(value(db, 1, sorted[i], MS_METRIC_TIME), sorted[i] + 1, 1e-9);
	}
	CHECK_INT(database_threads(db, 1, threads, 2), 6);
	arena_free(arena);
}

TEST(database__a_group_of_short_executions_counts_as_so_many)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct ms_measurement twenty = { .region = 1, .thread = 0, .metric = MS_METRIC_TIME };
	struct database_view view;
	struct property_context context = database_context(&view, db, DATABASE_ALL_BATCHES, 1);

	request(db, 1, MS_METRIC_TIME, 0);
	for (int i = 0; i < 20; i++)
		ms_stat_add(&twenty.stat, 30);
	for (int group = 0; group < 2; group++) {
		database_execution_begin(db);
		database_add(db, &twenty);
		database_execution_end(db, 10 * 100, 10);
	}
	CHECK_INT(database_executions(db), 20);
	CHECK_INT(database_groups(db), 2);
	CHECK_NEAR(database_phase_ns(db), 100, 1e-9);
	CHECK_NEAR(value(db, 1, 0, MS_METRIC_TIME), 60, 1e-9);
	CHECK_NEAR(context.executions(context.data, 1).value, 2, 1e-9);
	CHECK_NEAR(context.constant(context.data, "phase_executions").value, 20, 0);
	CHECK_INT(database_observed(db, 1, MS_METRIC_TIME), 20);
	CHECK_INT(database_executions_read(db), 20);
	CHECK_INT(database_observed_at(db, 1, MS_METRIC_TIME, 0).groups, 2);
	/* one group a batch */
	CHECK_NEAR(database_reading(db, 1, 1, 0, MS_METRIC_TIME).value, 60, 1e-9);
	CHECK_INT(database_reading(db, 2, 1, 0, MS_METRIC_TIME).missing, MS_MISSING_TOO_FEW);
	arena_free(arena);
}

TEST(database__slow_executions_change_neither_counts_nor_shares)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct database_view view;
	struct property_context context = database_context(&view, db, DATABASE_ALL_BATCHES, 1);
	struct ms_request asked[] = {
		{ .metric = MS_METRIC_TIME, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
		{ .metric = MS_METRIC_MINOR_FAULTS, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
	};

	database_requests(db, asked, 2);
	database_execution_begin(db);
	row(db, 1, 0, MS_METRIC_TIME, 75);
	row(db, 1, 0, MS_METRIC_MINOR_FAULTS, 12);
	/* half as long again, because it is measured */
	database_execution_end(db, 150, 1);
	database_requests(db, NULL, 0);
	for (int i = 0; i < 99; i++)
		database_execution_end(db, 100, 1);
	CHECK_INT(database_executions_read(db), 1);
	CHECK_NEAR(value(db, 1, 0, MS_METRIC_MINOR_FAULTS), 12, 1e-9);
	CHECK_NEAR(context.executions(context.data, 1).value, 1, 1e-9);
	CHECK_NEAR(value(db, 1, 0, MS_METRIC_TIME), 0.5 * database_phase_ns(db), 1e-9);
	arena_free(arena);
}

/* A loop's time is without what its clones take; steps whose accesses were recorded took four times as long. */
TEST(database__a_loop_has_its_share_of_executions_that_are_not_slowed)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	region(db, 3, 2, MS_LOOP_REGION);
	request(db, MS_REGION_USER, MS_METRIC_WALL_TIME, 0);
	database_execution_begin(db);
	row(db, MS_REGION_USER, 0, MS_METRIC_WALL_TIME, 100);
	database_execution_end(db, 100, 1);
	database_requests(db, NULL, 0);
	database_execution_end(db, 400, 1);
	request(db, 3, MS_METRIC_LOOP_TIME, 0);
	database_execution_begin(db);
	row(db, 3, 0, MS_METRIC_LOOP_TIME, 80);
	database_execution_end(db, 130, 1);
	CHECK_NEAR(value(db, 3, 0, MS_METRIC_LOOP_TIME), 0.8 * database_phase_ns(db), 1e-9);
	arena_free(arena);
}

/* In the one step whose accesses were recorded the region was executed twice, on average once. */
TEST(database__a_recorded_step_that_executes_a_region_more_often)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct database_view view;
	struct property_context context = database_context(&view, db, DATABASE_ALL_BATCHES, 1);
	struct ms_request asked[] = {
		{ .metric = MS_METRIC_TIME, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
		{ .metric = MS_METRIC_READS, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
	};

	database_requests(db, asked, 2);
	database_execution_begin(db);
	row(db, 1, 0, MS_METRIC_TIME, 75);
	row(db, 1, 0, MS_METRIC_READS, 12);
	row(db, 1, 0, MS_METRIC_READS, 12);
	database_execution_end(db, 100, 1);
	CHECK_NEAR(context.executions(context.data, 1).value, 2, 1e-9);
	arena_free(arena);
}

static struct ms_reading recent(const struct database *db, int batch, uint32_t region_id,
				uint32_t metric)
{
	struct database_view view;
	struct property_context context = database_context(&view, db, batch, region_id);

	view.recent = true;
	return context.reading(context.data, region_id, 0, metric);
}

TEST(database__the_recent_window)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 100, 10);
	execute(db, 100, 20);
	CHECK_INT(database_since(db), 0);
	database_mark(db);
	CHECK_INT(database_since(db), 2);
	CHECK_INT(recent(db, DATABASE_ALL_BATCHES, 1, MS_METRIC_TIME).missing,
		  MS_MISSING_NOT_REQUESTED);
	execute(db, 100, 50); /* third batch */
	CHECK_NEAR(recent(db, DATABASE_ALL_BATCHES, 1, MS_METRIC_TIME).value, 50, 1e-9);
	CHECK_NEAR(recent(db, 2, 1, MS_METRIC_TIME).value, 50, 1e-9);
	CHECK_INT(recent(db, 0, 1, MS_METRIC_TIME).missing, MS_MISSING_TOO_FEW);
	CHECK_NEAR(value(db, 1, 0, MS_METRIC_TIME), 80 / 3.0, 1e-9);
	CHECK_INT(database_observed_at(db, 1, MS_METRIC_TIME, DATABASE_RECENT).groups, 1);
	/* off at the mark, on again later: nothing of what was before */
	database_requests(db, NULL, 0);
	database_mark(db);
	execute(db, 100, 1000);
	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 100, 70);
	CHECK_INT(database_since(db), 3);
	CHECK_NEAR(recent(db, DATABASE_ALL_BATCHES, 1, MS_METRIC_TIME).value, 70, 1e-9);
	CHECK_INT(database_observed_at(db, 1, MS_METRIC_TIME, DATABASE_RECENT).executions, 1);
	database_clear(db);
	CHECK_INT(database_since(db), 0);
	CHECK_INT(recent(db, DATABASE_ALL_BATCHES, 1, MS_METRIC_TIME).missing,
		  MS_MISSING_NOT_REQUESTED);
	arena_free(arena);
}

TEST(database__regions_met_in_the_recent_window)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);

	request(db, 0, MS_METRIC_TIME, MS_REQUEST_SUBREGIONS);
	execute(db, 100, 50);
	database_mark(db);
	execute(db, 100, 50);
	region(db, 3, 1, MS_BARRIER_REGION);
	database_execution_begin(db);
	row(db, 3, 0, MS_METRIC_TIME, 30);
	database_execution_end(db, 100, 1);
	/* it was looked for in both executions of the window, and ran in one */
	CHECK_INT(database_observed_at(db, 3, MS_METRIC_TIME, DATABASE_RECENT).executions, 2);
	CHECK_INT(database_observed_at(db, 0, MS_METRIC_TIME, DATABASE_RECENT | DATABASE_BELOW)
			  .executions,
		  2);
	CHECK_NEAR(recent(db, DATABASE_ALL_BATCHES, 3, MS_METRIC_TIME).value, 15, 1e-9);
	arena_free(arena);
}

TEST(database__the_view_of_properties)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct database_view view;
	struct property_context context = database_context(&view, db, DATABASE_ALL_BATCHES, 1);
	struct ms_measurement twice = { .region = 1, .thread = 1, .metric = MS_METRIC_TIME };
	uint32_t children[2];

	CHECK_INT(context.executions(context.data, 1).missing, MS_MISSING_NOT_REQUESTED);
	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 100, 50);
	ms_stat_add(&twice.stat, 1);
	ms_stat_add(&twice.stat, 1);
	database_add(db, &twice);
	database_execution_end(db, 100, 1);
	/* two in two executions, of the busiest thread */
	CHECK_NEAR(context.executions(context.data, 1).value, 1, 1e-9);
	CHECK_INT(context.parent(context.data, 2), 1);
	CHECK_INT(context.parent(context.data, 0), MS_REGION_NONE);
	CHECK_INT(context.kind(context.data, 2), MS_DO_REGION);
	CHECK_INT(context.children(context.data, 1, children, 2), 1);
	CHECK_INT(children[0], 2);
	CHECK_NEAR(context.constant(context.data, "phase_executions").value, 2, 0);
	CHECK_INT(context.constant(context.data, "cpus").missing, MS_MISSING_NOT_SUPPORTED);
	database_constant(db, "cpus", 16);
	database_constant(db, "cpus", 8);
	CHECK_NEAR(context.constant(context.data, "cpus").value, 8, 0);
	arena_free(arena);
}

/* The severity of a property, which is the value of a formula. */
static double formula_value(const struct database *db, const struct property_set *set, int batch)
{
	struct database_view view;
	struct property_context context = database_context(&view, db, batch, 1);
	struct ms_verdict verdict;

	CHECK_INT(property_evaluate(set->properties[0], &context, &verdict), MS_OK);
	CHECK_INT(verdict.truth, MS_TRUE);
	return verdict.severity;
}

/* Formulas are kept between evaluations: not over a change of what they are computed from. */
TEST(database__formulas_follow_changes)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	const struct property_set *set = properties_of(
		arena,
		"METRIC part [1] = sum(r.time) / 1 us + cpus / 100 + regions(r) / 10 \"\";\n"
		"PROPERTY P(Region r, Phase p) { TITLE \"t\"; KINDS PARALLEL_REGION; CONDITION: r.part > 0; "
		"CONFIDENCE: 1; SEVERITY: r.part; EXPLANATION \"e\"; ADVICE \"a\"; }\n");

	database_constant(db, "cpus", 1);
	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 1000, 100);
	CHECK_NEAR(formula_value(db, set, DATABASE_ALL_BATCHES), .21, 1e-9);
	CHECK_NEAR(formula_value(db, set, DATABASE_ALL_BATCHES), .21, 1e-9);
	execute(db, 1000, 300);
	CHECK_NEAR(formula_value(db, set, DATABASE_ALL_BATCHES), .31, 1e-9);
	CHECK_NEAR(formula_value(db, set, 0), .21, 1e-9);
	CHECK_NEAR(formula_value(db, set, 1), .41, 1e-9);
	CHECK_NEAR(formula_value(db, set, DATABASE_WITHOUT(1)), .21, 1e-9);
	database_constant(db, "cpus", 2);
	CHECK_NEAR(formula_value(db, set, DATABASE_ALL_BATCHES), .32, 1e-9);
	region(db, 3, 1, MS_DO_REGION);
	CHECK_NEAR(formula_value(db, set, DATABASE_ALL_BATCHES), .42, 1e-9);
	arena_free(arena);
}

struct visited {
	size_t nr;
	struct ms_measurement last;
	uint64_t phases;
	double observed_ns;
};

static void visit(void *ctx, const struct ms_measurement *measurement, uint64_t phases,
		  double observed_ns)
{
	struct visited *visited = ctx;

	visited->nr++;
	visited->last = *measurement;
	visited->phases = phases;
	visited->observed_ns = observed_ns;
}

/* The error of a simulation comes with it, whatever other executions say. */
TEST(database__estimates_have_their_error)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct ms_measurement estimate = { .region = 1, .metric = MS_METRIC_SIM_L1D_MISSES };

	request(db, 0, MS_METRIC_SIM_L1D_MISSES, MS_REQUEST_SUBREGIONS);
	ms_stat_estimate(&estimate.stat, 1000, 25);
	CHECK_INT(database_add(db, &estimate), MS_OK);
	database_execution_end(db, 100, 1);
	CHECK_NEAR(all(db, 1, 0, MS_METRIC_SIM_L1D_MISSES).value, 1000, 0);
	CHECK_NEAR(all(db, 1, 0, MS_METRIC_SIM_L1D_MISSES).error, 3.182 * 5, 1e-9);
	estimate.thread = 1; /* all lines were looked at */
	estimate.stat = (struct ms_stat){ 0 };
	ms_stat_estimate(&estimate.stat, 1000, 0);
	CHECK_INT(database_add(db, &estimate), MS_OK);
	CHECK_NEAR(all(db, 1, 1, MS_METRIC_SIM_L1D_MISSES).error, 0, 0);
	arena_free(arena);
}

TEST(database__each_cell_for_the_record)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct visited visited = { 0 };

	request(db, 0, MS_METRIC_TIME, MS_REQUEST_SUBREGIONS);
	for (int i = 1; i <= 6; i++)
		execute(db, 100, i);
	database_each(db, visit, &visited);
	CHECK_INT(visited.nr, 1);
	CHECK_INT(visited.last.region, 1);
	CHECK_INT(visited.last.stat.count, 6);
	CHECK_NEAR(visited.last.stat.sum, 21, 1e-9);
	CHECK_NEAR(visited.last.stat.sum_squares, 91, 1e-9);
	CHECK_NEAR(visited.last.stat.min, 1, 0);
	CHECK_NEAR(visited.last.stat.max, 6, 0);
	CHECK_INT(visited.phases, 6);
	CHECK_NEAR(visited.observed_ns, 600, 1e-9);
	arena_free(arena);
}

TEST(database__volume)
{
	struct arena *arena = arena_new();
	struct database *db = small_database(arena);
	struct database_volume volume;

	for (uint32_t metric = 2; metric < MS_METRICS; metric++)
		database_missing(db, MS_REGION_NONE, metric, MS_MISSING_NOT_SUPPORTED);
	request(db, 1, 0, 0);
	for (int i = 0; i < 3; i++) {
		database_execution_begin(db);
		for (uint32_t thread = 0; thread < 4; thread++)
			row(db, 1, thread, 0, 1);
		database_execution_end(db, 100, 1);
	}
	database_requests(db, NULL, 0);
	execute(db, 100, 1);
	database_volume(db, &volume);
	CHECK_INT(volume.counters_possible, 4 * 2);
	CHECK_INT(volume.counters_used, 4);
	CHECK_INT(volume.samples_possible, 4 * 2 * 4);
	CHECK_INT(volume.samples_used, 4 * 3);
	arena_free(arena);
}

/*
 * ------------------------------------------------------------------ against a slow, simple model
 */

#define MODEL_REGIONS 6
#define MODEL_THREADS 5
#define MODEL_METRICS 3

struct model {
	bool on[MODEL_REGIONS][MODEL_METRICS];
	double sum[MODEL_REGIONS][MODEL_THREADS][MODEL_METRICS], ns[MODEL_REGIONS][MODEL_METRICS];
	uint64_t executions[MODEL_REGIONS][MODEL_METRICS];
	bool took_part[MODEL_REGIONS][MODEL_THREADS], executed[MODEL_REGIONS][MODEL_METRICS];
	double wall, nr;
};

static const uint32_t model_metrics[MODEL_METRICS] = { MS_METRIC_TIME, MS_METRIC_MINOR_FAULTS,
						       MS_METRIC_SAMPLES };
static const uint32_t model_parents[MODEL_REGIONS] = { MS_REGION_NONE, 0, 1, 1, 0, 4 };

static void model_requests(struct model *model, struct database *db)
{
	struct ms_request requests[4];
	size_t nr = (size_t)rand() % 5;

	memset(model->on, 0, sizeof(model->on));
	for (size_t i = 0; i < nr; i++) {
		requests[i] = (struct ms_request){
			.region = (uint32_t)rand() % MODEL_REGIONS,
			.thread = MS_REQUEST_ALL_THREADS,
			.flags = rand() % 2 ? MS_REQUEST_SUBREGIONS : 0,
		};
		uint32_t metric = (uint32_t)rand() % MODEL_METRICS;

		requests[i].metric = model_metrics[metric];
		for (uint32_t id = 0; id < MODEL_REGIONS; id++) {
			uint32_t at = id;

			while (requests[i].flags && at != requests[i].region && at)
				at = model_parents[at];
			model->on[id][metric] |= at == requests[i].region;
		}
	}
	database_requests(db, requests, nr);
}

static void model_execution(struct model *model, struct database *db)
{
	double wall = 100 + rand() % 900;
	uint64_t executions = 1 + (uint64_t)rand() % 3;
	bool seen[MODEL_REGIONS] = { false };

	database_execution_begin(db);
	for (int i = rand() % 20; i > 0; i--) {
		uint32_t id = (uint32_t)rand() % MODEL_REGIONS,
			 thread = (uint32_t)rand() % MODEL_THREADS,
			 metric = (uint32_t)rand() % MODEL_METRICS;
		double add = rand() % 100;

		row(db, id, thread, model_metrics[metric], add);
		seen[id] = model->took_part[id][thread] = true;
		model->sum[id][thread][metric] += model->on[id][metric] ? add : 0;
	}
	database_execution_end(db, wall, executions);
	model->wall += wall;
	model->nr += (double)executions;
	for (uint32_t id = 0; id < MODEL_REGIONS; id++)
		for (uint32_t metric = 0; metric < MODEL_METRICS; metric++)
			if (model->on[id][metric]) {
				model->executions[id][metric] += executions;
				model->ns[id][metric] += wall;
				model->executed[id][metric] |= seen[id];
			}
}

static void model_compare(const struct model *model, const struct database *db, uint32_t id,
			  uint32_t thread, uint32_t metric)
{
	struct ms_reading reading = all(db, id, thread, model_metrics[metric]);
	double scale = metric == 1 ? 1 / (double)model->executions[id][metric]
				   : model->wall / model->nr / model->ns[id][metric];

	CHECK_INT(database_observed(db, id, model_metrics[metric]), model->executions[id][metric]);
	if (!model->executions[id][metric]) {
		CHECK_INT(reading.missing, MS_MISSING_NOT_REQUESTED);
	} else if (!model->executed[id][metric] || !model->took_part[id][thread]) {
		CHECK_INT(reading.missing, MS_MISSING_NOT_EXECUTED);
	} else {
		CHECK_INT(reading.missing, MS_PRESENT);
		CHECK_NEAR(reading.value, model->sum[id][thread][metric] * scale, 1e-6);
	}
}

TEST(database__agrees_with_a_simple_model)
{
	for (unsigned int seed = 1; seed <= 60; seed++) {
		struct arena *arena = arena_new();
		struct database *db = database_new(arena);
		struct model model = { 0 };

		srand(seed);
		for (uint32_t id = 0; id < MODEL_REGIONS; id++)
			region(db, id, model_parents[id], id ? MS_PARALLEL_REGION : MS_USER_REGION);
		for (int step = 0; step < 40; step++) {
			if (rand() % 3 == 0)
				model_requests(&model, db);
			if (rand() % 30 == 0) {
				bool on[MODEL_REGIONS][MODEL_METRICS];

				memcpy(on, model.on, sizeof(on));
				model = (struct model){ 0 };
				memcpy(model.on, on, sizeof(on));
				database_clear(db);
			}
			model_execution(&model, db);
			for (uint32_t i = 0; i < MODEL_REGIONS * MODEL_THREADS * MODEL_METRICS; i++)
				model_compare(&model, db, i % MODEL_REGIONS,
					      i / MODEL_REGIONS % MODEL_THREADS,
					      i / MODEL_REGIONS / MODEL_THREADS);
		}
		arena_free(arena);
	}
}

/* ------------------------------------------------------------------ size and speed */

#define LARGE_REGIONS 10000u
#define LARGE_THREADS (SANITIZED ? 32u : 256u)

static void fill_large(struct database *db, const uint32_t *metrics, size_t nr)
{
	/* in the order of a fold */
	for (uint32_t thread = 0; thread < LARGE_THREADS; thread++)
		for (uint32_t id = 1; id <= LARGE_REGIONS; id++)
			for (size_t i = 0; i < nr; i++) {
				struct ms_measurement measurement = { .region = id,
								      .thread = thread,
								      .metric = metrics[i] };

				ms_stat_add(&measurement.stat, 1 + thread);
				database_add(db, &measurement);
			}
}

TEST(database__ten_thousand_regions_on_256_threads)
{
	static const uint32_t metrics[] = { MS_METRIC_TIME, MS_METRIC_BARRIER_WAIT,
					    MS_METRIC_CPU_TIME };
	struct arena *arena = arena_new();
	struct database *db = database_new(arena);
	struct ms_request requests[3];
	double begin, sum = 0;
	size_t cells = (size_t)LARGE_REGIONS * LARGE_THREADS * 3;

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	for (uint32_t id = 1; id <= LARGE_REGIONS; id++)
		region(db, id, 0, MS_PARALLEL_REGION);
	for (size_t i = 0; i < 3; i++)
		requests[i] = (struct ms_request){ .metric = metrics[i],
						   .thread = MS_REQUEST_ALL_THREADS,
						   .flags = MS_REQUEST_SUBREGIONS };
	database_requests(db, requests, 3);
	database_execution_begin(db);
	fill_large(db, metrics, 3);
	database_execution_end(db, 1e9, 1);
	/*
	 * 64 bytes a cell, some 2 for the ends of chunks and lists of blocks; regions and columns
	 * (totals) are shared by the threads. Metrics nobody asks for hardly matter: 40 more of
	 * them are 100 bytes a region.
	 */
	CHECK_THAT((double)arena_bytes(arena), <, 66.5 * (double)cells + 2000.0 * LARGE_REGIONS);

	begin = cpu_seconds();
	for (uint32_t id = 1; id <= LARGE_REGIONS; id++)
		for (uint32_t thread = 0; thread < LARGE_THREADS; thread++)
			for (size_t i = 0; i < 3; i++)
				sum += all(db, id, thread, metrics[i]).value;
	CHECK_THAT(cpu_seconds() - begin, <, seconds_allowed(1));
	CHECK_NEAR(sum, 3.0 * LARGE_REGIONS * LARGE_THREADS * (LARGE_THREADS + 1) / 2, 1e-3);
	arena_free(arena);
}
