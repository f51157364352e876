/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops, single, sections and their barriers through the fake host, as clang, gcc, flang and libomp
 * 14 report them.
 */
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#define PARALLEL 0x1000u
#define LOOP 0x1100u
#define OTHER 0x1200u
#define BARRIER 0x1300u

static struct host_thread master, worker;
static struct host_task master_task, worker_task, initial;
static struct host_team team;

/* Both threads are in a region; `master` is current. */
static void start(void)
{
	fake_time(1000);
	CHECK(host_start(core_start));
	host_thread_begin(&master, ompt_thread_initial);
	host_initial_task(&initial);
	host_thread_begin(&worker, ompt_thread_worker);
	host_on(&master);
	host_parallel_begin(&team, 2, PARALLEL);
	host_implicit_begin(&team, &master_task, 0);
	host_on(&worker);
	host_implicit_begin(&team, &worker_task, 1);
	host_on(&master);
}

static void end(void)
{
	host_on(&worker);
	host_arrive();
	host_on(&master);
	host_arrive();
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
	fake_fold();
}

static void loop(ompt_work_t type, uint64_t ns, uint64_t code)
{
	host_work(type, ompt_scope_begin, 100, code);
	fake_pass(ns);
	host_work(type, ompt_scope_end, 100, code);
}

static void barrier(ompt_sync_region_t kind, uint64_t ns, uint64_t code)
{
	host_sync(kind, ompt_scope_begin, code);
	fake_pass(ns);
	host_sync(kind, ompt_scope_end, code);
}

static uint32_t parallel(void)
{
	return fake_region(MS_PARALLEL_REGION, PARALLEL, 0);
}

TEST(events_work__loop_and_the_barrier_that_closes_it)
{
	uint32_t region;

	start();
	loop(ompt_work_loop_static, 40, LOOP);
	barrier(ompt_sync_region_barrier_implicit_workshare, 15, LOOP + 4);
	host_on(&worker);
	loop(ompt_work_loop_static, 55, LOOP);
	barrier(ompt_sync_region_barrier_implicit_workshare, 0, LOOP + 4);
	end();
	region = fake_region(MS_DO_REGION, LOOP, parallel());
	CHECK_THAT(region, !=, MS_REGION_NONE);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_TIME).sum, 40, 0);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_BARRIER_WAIT).sum, 15, 0);
	CHECK_NEAR(fake_stat(region, 1, MS_METRIC_TIME).sum, 55, 0);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_ITERATIONS).sum, 100, 0);
	CHECK_INT(fake_stat(region, 1, MS_METRIC_ITERATIONS).count, 0);
	CHECK_INT(fake_region(MS_BARRIER_REGION, LOOP + 4, UINT32_MAX), MS_REGION_NONE);
	CHECK_INT(region_table_at(segment_regions(core_segment()), parallel())->inside, LOOP);
}

TEST(events_work__explicit_barrier_is_its_own_region)
{
	start();
	loop(ompt_work_loop_static, 40, LOOP);
	barrier(ompt_sync_region_barrier_explicit, 15, BARRIER);
	barrier(ompt_sync_region_barrier_implementation, 20, OTHER);
	end();
	CHECK_INT(fake_stat(fake_region(MS_DO_REGION, LOOP, parallel()), 0, MS_METRIC_BARRIER_WAIT)
			  .count,
		  0);
	CHECK_NEAR(fake_stat(fake_region(MS_BARRIER_REGION, BARRIER, parallel()), 0,
			     MS_METRIC_BARRIER_WAIT)
			   .sum,
		   15, 0);
	CHECK_NEAR(fake_stat(fake_region(MS_BARRIER_REGION, OTHER, parallel()), 0,
			     MS_METRIC_BARRIER_WAIT)
			   .sum,
		   20, 0);
	CHECK_INT(fake_stat(fake_region(MS_BARRIER_REGION, BARRIER, parallel()), 0, MS_METRIC_TIME)
			  .count,
		  0);
}

/* gcc: single has BEGIN only, again and again; what is open must not pile up. */
TEST(events_work__single_without_end)
{
	uint32_t region;

	start();
	for (int i = 0; i < 300; i++) {
		host_work(ompt_work_single_executor, ompt_scope_begin, 1, OTHER);
		fake_pass(10);
		if (i % 2)
			barrier(ompt_sync_region_barrier_implementation, 3, 0);
	}
	host_work(ompt_work_single_executor, ompt_scope_begin, 1, OTHER);
	fake_pass(10);
	end();
	region = fake_region(MS_SINGLE_REGION, OTHER, parallel());
	CHECK_INT(fake_stat(region, 0, MS_METRIC_TIME).count, 301);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_TIME).sum, 3010, 0);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_BARRIER_WAIT).sum, 450, 0);
	CHECK_NEAR(fake_stat(parallel(), 0, MS_METRIC_TIME).sum, 3010 + 450, 0);
	CHECK_INT(fake_dropped(), 0);
}

/* What follows a single with `nowait` is not its own, nor is the next barrier. */
TEST(events_work__single_whose_end_is_unseen)
{
	uint32_t region;

	start();
	host_work(ompt_work_single_executor, ompt_scope_begin, 1, OTHER);
	fake_pass(10);
	barrier(ompt_sync_region_barrier_implementation, 3, OTHER + 8);
	region = fake_region(MS_SINGLE_REGION, OTHER, parallel());
	region_table_at(segment_regions(core_segment()), region)->single_end = REGION_SINGLE_UNSEEN;
	host_work(ompt_work_single_executor, ompt_scope_begin, 1, OTHER);
	fake_pass(40);
	barrier(ompt_sync_region_barrier_implementation, 7, OTHER + 8);
	end();
	CHECK_INT(fake_stat(region, 0, MS_METRIC_TIME).count, 1);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_TIME).sum, 10, 0);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_BARRIER_WAIT).sum, 3, 0);
	region = fake_region(MS_BARRIER_REGION, OTHER + 8, parallel());
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_BARRIER_WAIT).sum, 7, 0);
	CHECK_NEAR(fake_stat(parallel(), 0, MS_METRIC_TIME).sum, 60, 0);
	CHECK_INT(fake_dropped(), 0);
}

TEST(events_work__others_of_a_single_only_wait)
{
	uint32_t region;

	start();
	loop(ompt_work_single_executor, 30, OTHER);
	host_on(&worker);
	loop(ompt_work_single_other, 1, OTHER);
	barrier(ompt_sync_region_barrier_implicit_workshare, 29, OTHER + 8);
	end();
	region = fake_region(MS_SINGLE_REGION, OTHER, parallel());
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_TIME).sum, 30, 0);
	CHECK_INT(fake_stat(region, 1, MS_METRIC_TIME).count, 0);
	CHECK_NEAR(fake_stat(region, 1, MS_METRIC_BARRIER_WAIT).sum, 29, 0);
}

/* gcc: the combined loop has the parallel's address on the master and none on workers. */
TEST(events_work__combined_loop_of_gcc_is_one_region)
{
	uint32_t region;

	start();
	loop(ompt_work_loop_dynamic, 40, PARALLEL);
	host_on(&worker);
	loop(ompt_work_loop_dynamic, 50, 0);
	end();
	region = fake_region(MS_DO_REGION, 0, parallel());
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_TIME).sum, 40, 0);
	CHECK_NEAR(fake_stat(region, 1, MS_METRIC_TIME).sum, 50, 0);
	CHECK_INT(region_table_at(segment_regions(core_segment()), parallel())->inside, 0);
}

/* Chunks belong to the loop that hands them out, not to what begins and ends inside of one. */
static void chunks(int nr)
{
	struct host_team inner;
	struct host_task task;

	for (int i = 0; i < nr; i++) {
		host_dispatch(ompt_dispatch_ws_loop_chunk);
		fake_pass(10);
		host_parallel_begin(&inner, 1, OTHER);
		host_implicit_begin(&inner, &task, 0);
		host_implicit_end(&task, 0);
		host_parallel_end(&inner);
	}
}

TEST(events_work__chunks_are_counted_by_thread_and_loop)
{
	uint32_t region;

	start();
	for (int round = 0; round < 2; round++) {
		host_work(ompt_work_loop_dynamic, ompt_scope_begin, 100, LOOP);
		chunks(7);
		host_work(ompt_work_loop_dynamic, ompt_scope_end, 100, LOOP);
	}
	host_on(&worker);
	host_work(ompt_work_loop_dynamic, ompt_scope_begin, 100, LOOP);
	host_dispatch(ompt_dispatch_iteration);
	host_work(ompt_work_loop_dynamic, ompt_scope_end, 100, LOOP);
	loop(ompt_work_loop_static, 10, BARRIER); /* gcc, one thread: no dispatch */
	end();
	region = fake_region(MS_DO_REGION, LOOP, parallel());
	CHECK_INT(fake_stat(region, 0, MS_METRIC_CHUNKS).count, 2);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_CHUNKS).sum, 14, 0);
	CHECK_NEAR(fake_stat(region, 1, MS_METRIC_CHUNKS).sum, 1, 0);
	CHECK_INT(fake_stat(fake_region(MS_DO_REGION, BARRIER, parallel()), 1, MS_METRIC_CHUNKS)
			  .count,
		  0);
	CHECK_INT(
		fake_stat(fake_region(MS_DO_REGION, BARRIER, parallel()), 1, MS_METRIC_TIME).count,
		1);
}

TEST(events_work__no_chunks_of_sections_and_taskloops_or_outside)
{
	start();
	host_dispatch(ompt_dispatch_ws_loop_chunk);
	host_work(ompt_work_sections, ompt_scope_begin, 2, OTHER);
	host_dispatch(ompt_dispatch_section);
	host_dispatch(ompt_dispatch_taskloop_chunk);
	host_work(ompt_work_sections, ompt_scope_end, 2, OTHER);
	host_on(NULL);
	host_dispatch(ompt_dispatch_ws_loop_chunk);
	end();
	CHECK_INT(fake_stat(fake_region(MS_SECTIONS_REGION, OTHER, parallel()), 0, MS_METRIC_TIME)
			  .count,
		  1);
	CHECK_INT(fake_stat(fake_region(MS_SECTIONS_REGION, OTHER, parallel()), 0, MS_METRIC_CHUNKS)
			  .count,
		  0);
	CHECK_INT(fake_stat(parallel(), 0, MS_METRIC_CHUNKS).count, 0);
}

static void count_missing(void *ctx, enum ms_metric metric)
{
	/* nothing announces these to the fake runtime's tool */
	bool of_releases = metric >= MS_METRIC_LOCK_HELD && metric <= MS_METRIC_LOCK_HANDOVER_TIME;

	++*(int *)ctx;
	CHECK_INT(of_releases ? MS_METRIC_CHUNKS : metric, MS_METRIC_CHUNKS);
}

/*
 * libomp 14: one kind of loop, one kind of implicit barrier; the region's has no address of its
 * own.
 */
TEST(events_work__libomp_14)
{
	uint32_t region;
	int missing = 0;

	host_never(ompt_callback_dispatch);
	start();
	loop(ompt_work_loop, 40, LOOP);
	barrier(ompt_sync_region_barrier_implicit, 15, LOOP + 4);
	fake_pass(5);
	host_sync(ompt_sync_region_barrier_implicit, ompt_scope_begin, PARALLEL);
	host_on(&worker);
	fake_pass(100);
	host_sync(ompt_sync_region_barrier_implicit, ompt_scope_begin, 0);
	host_on(&master);
	host_sync(ompt_sync_region_barrier_implicit, ompt_scope_end, PARALLEL);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
	fake_pass(7000);
	host_on(&worker);
	host_sync(ompt_sync_region_barrier_implicit, ompt_scope_end, 0);
	host_implicit_end(&worker_task, 1);
	fake_fold();
	region = fake_region(MS_DO_REGION, LOOP, parallel());
	events_missing(count_missing, &missing);
	CHECK_INT(missing, 1 + 4);
	CHECK_INT(fake_stat(region, 0, MS_METRIC_CHUNKS).count, 0);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_BARRIER_WAIT).sum, 15, 0);
	CHECK_NEAR(fake_stat(parallel(), 0, MS_METRIC_TIME).sum, 60, 0);
	CHECK_NEAR(fake_stat(parallel(), 0, MS_METRIC_BARRIER_WAIT).sum, 100, 0);
	CHECK_NEAR(fake_stat(parallel(), 1, MS_METRIC_TIME).sum, 160, 0);
	CHECK_NEAR(fake_stat(parallel(), 1, MS_METRIC_BARRIER_WAIT).sum, 0, 0);
}

/* After gcc's teams: the master's kind is barrier_teams, the workers' implicit_parallel. */
TEST(events_work__barrier_teams_closes_a_region)
{
	start();
	fake_pass(20);
	host_sync(ompt_sync_region_barrier_teams, ompt_scope_begin, 0);
	host_on(&worker);
	fake_pass(20);
	host_arrive();
	host_on(&master);
	host_sync(ompt_sync_region_barrier_teams, ompt_scope_end, 0);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
	fake_fold();
	CHECK_NEAR(fake_stat(parallel(), 0, MS_METRIC_TIME).sum, 20, 0);
	CHECK_NEAR(fake_stat(parallel(), 0, MS_METRIC_BARRIER_WAIT).sum, 20, 0);
	CHECK_NEAR(fake_stat(parallel(), 1, MS_METRIC_TIME).sum, 40, 0);
}

TEST(events_work__masked_and_reduction)
{
	start();
	host_masked(ompt_scope_begin, OTHER);
	fake_pass(12);
	host_masked(ompt_scope_end, OTHER);
	host_reduction(ompt_scope_begin);
	fake_pass(8);
	host_reduction(ompt_scope_end);
	end();
	CHECK_NEAR(
		fake_stat(fake_region(MS_MASTER_REGION, OTHER, parallel()), 0, MS_METRIC_TIME).sum,
		12, 0);
	CHECK_NEAR(
		fake_stat(fake_region(MS_REDUCTION_REGION, 0, parallel()), 0, MS_METRIC_TIME).sum,
		8, 0);
}

/*
 * What the phase detection hears: the region, then the loops and barriers of the initial thread in
 * it.
 */
TEST(events_work__levels_told_to_the_phase_detection)
{
	start();
	loop(ompt_work_loop_static, 40, LOOP);
	barrier(ompt_sync_region_barrier_implicit_workshare, 5, LOOP + 4);
	barrier(ompt_sync_region_barrier_explicit, 5, BARRIER);
	host_on(&worker);
	loop(ompt_work_loop_static, 40, LOOP);
	end();
	CHECK_INT(fake_online.nr_calls, 3);
	CHECK_INT(fake_online.calls[0].level, 0);
	CHECK_INT(fake_online.calls[1].level, 1);
	CHECK_INT(fake_online.calls[1].region, fake_region(MS_DO_REGION, LOOP, parallel()));
	CHECK_INT(fake_online.calls[2].region, fake_region(MS_BARRIER_REGION, BARRIER, parallel()));
}

TEST(events_work__orphaned_loop_in_serial_code)
{
	start();
	end();
	loop(ompt_work_loop_static, 25, OTHER);
	fake_fold();
	CHECK_NEAR(fake_stat(fake_region(MS_DO_REGION, OTHER, 0), 0, MS_METRIC_TIME).sum, 25, 0);
	CHECK_INT(fake_online.calls[1].level, 0);
}

/*
 * gcc's single outside of any region has no END either: what follows is still a region met in
 * serial code.
 */
TEST(events_work__single_without_end_in_serial_code)
{
	start();
	end();
	fake_online.nr_calls = 0;
	host_work(ompt_work_single_executor, ompt_scope_begin, 1, OTHER);
	fake_pass(11);
	host_parallel_begin(&team, 1, LOOP);
	host_implicit_begin(&team, &master_task, 0);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
	fake_fold();
	CHECK_INT(fake_online.nr_calls, 2);
	CHECK_INT(fake_online.calls[1].level, 0);
	CHECK_THAT(fake_region(MS_PARALLEL_REGION, LOOP, 0), !=, MS_REGION_NONE);
	CHECK_NEAR(fake_stat(fake_region(MS_SINGLE_REGION, OTHER, 0), 0, MS_METRIC_TIME).sum, 11,
		   0);
	CHECK_NEAR(
		fake_stat(fake_region(MS_SERIAL_REGION, PARALLEL, 0), 0, MS_METRIC_WALL_TIME).sum,
		11, 0);
}

TEST(events_work__unknown_kinds_are_left_alone)
{
	start();
	host_work((ompt_work_t)9, ompt_scope_begin, 1, LOOP);
	host_work((ompt_work_t)77, ompt_scope_begin, 1, LOOP);
	host_work(ompt_work_scope, ompt_scope_begin, 1, LOOP);
	host_work(ompt_work_loop_static, ompt_scope_end, 1, LOOP); /* END without BEGIN */
	host_sync(ompt_sync_region_barrier_explicit, ompt_scope_end, LOOP);
	host_sync(ompt_sync_region_taskwait, ompt_scope_end, LOOP);
	fake_pass(9);
	end();
	CHECK_NEAR(fake_stat(parallel(), 0, MS_METRIC_TIME).sum, 9, 0);
	/* user, serial, parallel */
	CHECK_INT(region_table_count(segment_regions(core_segment())), 3);
}
