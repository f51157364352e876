/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events inside of parallel regions rest while nobody wants them, and measuring is exact from the
 * region on at which they go on.
 */
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#define A 0x1000u
#define B 0x2000u
#define INNER 0x3000u
#define LOOP 0x4000u

static struct host_thread master, worker, other_root;
static struct host_task master_task, worker_task, inner_task, initial;
static struct host_team team, inner;
static bool rest, ask, skip;

static void at_region(const struct fake_call *call)
{
	if (call->level)
		return;
	fake_request(ask);
	events_rest(rest);
	events_skip_constructs(skip);
}

static void start(void)
{
	fake_time(1000);
	CHECK(host_start(core_start));
	host_thread_begin(&master, ompt_thread_initial);
	host_initial_task(&initial);
	host_thread_begin(&worker, ompt_thread_worker);
	host_on(&master);
	fake_online.at_event = at_region;
}

static void loop(struct host_thread *thread, uint64_t ns)
{
	host_on(thread);
	host_work(ompt_work_loop_static, ompt_scope_begin, 10, LOOP);
	fake_pass(ns);
	host_work(ompt_work_loop_static, ompt_scope_end, 10, LOOP);
}

/* A nested region on the initial thread, whose place nobody knows while events rest. */
static void nested(void)
{
	host_parallel_begin(&inner, 1, INNER);
	host_implicit_begin(&inner, &inner_task, 0);
	fake_pass(5);
	host_implicit_end(&inner_task, 0);
	host_parallel_end(&inner);
}

/* 5 in the nested region, 30 and 20 in the loop. */
static void region(uint64_t code, bool late)
{
	host_on(&master);
	host_parallel_begin(&team, 2, code);
	host_implicit_begin(&team, &master_task, 0);
	host_on(&worker);
	if (late)
		host_leave_late(&worker_task);
	host_implicit_begin(&team, &worker_task, 1);
	loop(&worker, 20);
	host_arrive();
	loop(&master, 30);
	nested();
	host_arrive();
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
}

static void check_measured(uint64_t code)
{
	uint32_t measured = fake_region(MS_PARALLEL_REGION, code, 0),
		 loop_region = fake_region(MS_DO_REGION, LOOP, measured);

	CHECK_NEAR(fake_stat(measured, 0, MS_METRIC_TIME).sum, 55, 0);
	CHECK_NEAR(fake_stat(measured, 1, MS_METRIC_TIME).sum, 20, 0);
	CHECK_NEAR(fake_stat(measured, 1, MS_METRIC_BARRIER_WAIT).sum, 35, 0);
	CHECK_NEAR(fake_stat(loop_region, 0, MS_METRIC_TIME).sum, 30, 0);
	CHECK_NEAR(fake_stat(loop_region, 1, MS_METRIC_TIME).sum, 20, 0);
	CHECK_THAT(fake_region(MS_PARALLEL_REGION, INNER, measured), !=, MS_REGION_NONE);
	CHECK_INT(fake_dropped(), 0);
}

TEST(events_rest__regions_count_and_nothing_inside)
{
	start();
	rest = true;
	region(A, false);
	region(A, true);
	region(B, true);
	fake_fold();
	CHECK_INT(fake_online.nr_calls, 3); /* the nested ones are not told */
	CHECK_THAT(fake_region(MS_PARALLEL_REGION, A, 0), !=, MS_REGION_NONE);
	CHECK_INT(fake_region(MS_PARALLEL_REGION, INNER, UINT32_MAX), MS_REGION_NONE);
	CHECK_INT(fake_region(MS_DO_REGION, LOOP, UINT32_MAX), MS_REGION_NONE);
	CHECK_INT(fake_stat(fake_region(MS_PARALLEL_REGION, A, 0), 0, MS_METRIC_TIME).count, 0);
}

/*
 * Also after a region that was measured, and again and again: ENDs that come late are not those of
 * a new region.
 */
TEST(events_rest__going_on_measures_exactly)
{
	start();
	rest = ask = true;
	region(A, false);
	fake_fold();
	/* what is asked for keeps them awake */
	check_measured(A);
	for (int i = 0; i < 3; i++) {
		ask = false;
		region(A, true);
		region(A, true);
		ask = true;
		region(B, true);
		fake_fold();
		check_measured(B);
	}
}

/* The region's own values are exact without its loops, and those of the next region with them. */
TEST(events_rest__without_constructs)
{
	uint32_t measured;

	start();
	ask = true;
	region(A, false);
	fake_fold();
	for (int i = 0; i < 3; i++) {
		skip = true;
		region(A, true);
		fake_fold();
		measured = fake_region(MS_PARALLEL_REGION, A, 0);
		CHECK_NEAR(fake_stat(measured, 0, MS_METRIC_TIME).sum, 55, 0);
		CHECK_NEAR(fake_stat(measured, 0, MS_METRIC_WALL_TIME).sum, 55, 0);
		CHECK_NEAR(fake_stat(measured, 1, MS_METRIC_TIME).sum, 20, 0);
		CHECK_NEAR(fake_stat(measured, 1, MS_METRIC_BARRIER_WAIT).sum, 35, 0);
		CHECK_INT(fake_stat(fake_region(MS_DO_REGION, LOOP, measured), 0, MS_METRIC_TIME)
				  .count,
			  0);
		CHECK_INT(fake_stat(fake_region(MS_PARALLEL_REGION, INNER, measured), 0,
				    MS_METRIC_TIME)
				  .count,
			  1);
		skip = false;
		region(B, true);
		fake_fold();
		check_measured(B);
	}
}

/* Also what is in serial code after it. */
TEST(events_rest__constructs_are_skipped_up_to_the_end)
{
	start();
	ask = skip = true;
	region(A, false);
	host_acquire(ompt_mutex_critical, LOOP);
	host_acquired(ompt_mutex_critical, LOOP);
	CHECK_THAT(fake_region(MS_CRITICAL_REGION, LOOP, 0), !=, MS_REGION_NONE);
}

/* The rest begins while both threads are in the loop, of which the ENDs come later. */
static void region_that_rests(uint64_t code)
{
	host_on(&master);
	host_parallel_begin(&team, 2, code);
	host_implicit_begin(&team, &master_task, 0);
	host_on(&worker);
	host_leave_late(&worker_task);
	host_implicit_begin(&team, &worker_task, 1);
	host_work(ompt_work_loop_static, ompt_scope_begin, 10, LOOP);
	host_on(&master);
	host_work(ompt_work_loop_static, ompt_scope_begin, 10, LOOP);
	CHECK(events_can_rest());
	events_rest_of_region();
	CHECK(!events_can_rest());
	host_work(ompt_work_loop_static, ompt_scope_end, 10, LOOP);
	nested();
	host_on(&worker);
	host_work(ompt_work_loop_static, ompt_scope_end, 10, LOOP);
	nested();
	loop(&worker, 20);
	host_arrive();
	loop(&master, 30);
	host_arrive();
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
}

TEST(events_rest__begins_in_a_region)
{
	start();
	ask = true;
	region(A, false);
	fake_fold();
	for (int i = 0; i < 3; i++) {
		ask = false;
		fake_online.nr_calls = 0;
		region_that_rests(A);
		CHECK_INT(fake_online.calls[0].level, 0);
		for (int k = 1; k < (int)fake_online.nr_calls; k++)
			CHECK_THAT(fake_online.calls[k].level, >, 0); /* no nested one is */
		region_that_rests(A);
		ask = true;
		region(B, true);
		fake_fold();
		check_measured(B);
	}
}

TEST(events_rest__not_with_worksharing_in_serial_code)
{
	start();
	ask = false;
	region(A, false);
	loop(&master, 10);
	rest = true;
	region(A, true);
	CHECK_THAT(fake_region(MS_PARALLEL_REGION, INNER, UINT32_MAX), !=, MS_REGION_NONE);
	fake_online.nr_calls = 0;
	loop(&master, 10);
	CHECK_INT(fake_online.nr_calls, 1);
}

/*
 * Another thread of the program has a team of its own, in the midst of a region when events go on.
 */
TEST(events_rest__not_with_several_initial_threads)
{
	start();
	host_thread_begin(&other_root, ompt_thread_initial);
	rest = true;
	region(A, false);
	CHECK_THAT(fake_region(MS_DO_REGION, LOOP, UINT32_MAX), !=, MS_REGION_NONE);
}

/* A region whose END never comes does not make all later ones look nested. */
TEST(events_rest__a_lost_end)
{
	start();
	rest = true;
	host_parallel_begin(&team, 2, A);
	for (int i = 0; i < 100; i++)
		host_parallel_begin(&team, 2, B);
	fake_online.nr_calls = 0;
	for (int i = 0; i < 10; i++) {
		host_parallel_end(&team);
		host_parallel_begin(&team, 2, B);
	}
	CHECK_THAT(fake_region(MS_PARALLEL_REGION, B, 0), !=, MS_REGION_NONE);
}
