/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel regions through the fake host: late ENDs, nested and shrinking teams, serial stretches,
 * fork, exit.
 */
#include "memsearch/sensor.h"
#include "ompt_tool/regions/region_loops.h"
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define A 0x1000u
#define B 0x2000u
#define C 0x3000u

static struct host_thread threads[THREADS];
static struct host_task tasks[THREADS], initial;
static struct host_team team;

static void start(void)
{
	fake_time(1000);
	CHECK(host_start(core_start));
	host_thread_begin(&threads[0], ompt_thread_initial);
	host_initial_task(&initial);
	for (int i = 1; i < THREADS; i++)
		host_thread_begin(&threads[i], ompt_thread_worker);
	host_on(&threads[0]);
}

/* The master's part up to the fork: its implicit task begins 10 ns after the region. */
static void fork_team(struct host_team *of, unsigned int size, uint64_t code)
{
	host_on(&threads[0]);
	host_parallel_begin(of, size, code);
	fake_pass(10);
	host_implicit_begin(of, &tasks[0], 0);
}

static void join_team(struct host_team *of)
{
	host_on(&threads[0]);
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&tasks[0], 0);
	fake_pass(5);
	host_parallel_end(of);
}

/*
 * Begin 0 → master at 10, worker at 20; worker arrives at 120, master at 220, all leave at 220; end
 * at 225.
 */
static void two_threads(uint64_t code)
{
	fork_team(&team, 2, code);
	host_on(&threads[1]);
	fake_pass(10);
	host_implicit_begin(&team, &tasks[1], 1);
	fake_pass(100);
	host_arrive();
	host_on(&threads[0]);
	fake_pass(100);
	host_arrive();
	join_team(&team);
}

static void check_two_threads(uint32_t region, uint64_t times)
{
	CHECK_INT(fake_stat(region, 0, MS_METRIC_TIME).count, times);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_TIME).sum, 210.0 * times, 0);
	CHECK_NEAR(fake_stat(region, 1, MS_METRIC_TIME).sum, 100.0 * times, 0);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_START_DELAY).sum, 10.0 * times, 0);
	CHECK_NEAR(fake_stat(region, 1, MS_METRIC_START_DELAY).sum, 20.0 * times, 0);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_BARRIER_WAIT).sum, 0, 0);
	CHECK_INT(fake_stat(region, 0, MS_METRIC_BARRIER_WAIT).count, times);
	CHECK_NEAR(fake_stat(region, 1, MS_METRIC_BARRIER_WAIT).sum, 100.0 * times, 0);
	CHECK_INT(fake_stat(region, 1, MS_METRIC_BARRIER_WAIT).count, times);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_WALL_TIME).sum, 225.0 * times, 0);
	CHECK_INT(fake_stat(region, 1, MS_METRIC_WALL_TIME).count, 0);
}

TEST(events__idle_worker_is_settled_by_the_fold)
{
	start();
	two_threads(A);
	fake_pass(100000);
	fake_fold();
	check_two_threads(fake_region(MS_PARALLEL_REGION, A, 0), 1);
	/* its END comes late and must not count again */
	host_on(&threads[1]);
	host_leave_late(&tasks[1]);
	fake_fold();
	CHECK_INT(fake_stat(fake_region(MS_PARALLEL_REGION, A, 0), 1, MS_METRIC_BARRIER_WAIT).count,
		  0);
	CHECK_INT(fake_dropped(), 0);
}

/* Arrivals at 120 and 220 after the begin; the master leaves 40 later, at 260. */
TEST(events__release_delay_begins_with_the_last_arrival)
{
	uint32_t region;

	start();
	fork_team(&team, 2, A);
	host_on(&threads[1]);
	host_implicit_begin(&team, &tasks[1], 1);
	host_on(&threads[0]);
	fake_pass(110);
	host_arrive();
	host_on(&threads[1]);
	fake_pass(100);
	host_arrive();
	fake_pass(40);
	join_team(&team);
	fake_fold();
	region = fake_region(MS_PARALLEL_REGION, A, 0);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_RELEASE_DELAY).sum, 40, 0);
	CHECK_INT(fake_stat(region, 0, MS_METRIC_RELEASE_DELAY).count, 1);
	CHECK_INT(fake_stat(region, 1, MS_METRIC_RELEASE_DELAY).count, 0);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_BARRIER_WAIT).sum, 140, 0);
	CHECK_NEAR(fake_stat(region, 1, MS_METRIC_BARRIER_WAIT).sum, 40, 0);
}

TEST(events__late_end_counts_to_the_end_of_the_region_only)
{
	start();
	for (int i = 0; i < 3; i++) {
		if (i) {
			fake_pass(5000);
			host_on(&threads[1]);
			host_leave_late(&tasks[1]);
		}
		two_threads(A);
	}
	fake_fold();
	check_two_threads(fake_region(MS_PARALLEL_REGION, A, 0), 3);
	CHECK_INT(fake_dropped(), 0);
}

TEST(events__serial_stretches_are_known_by_both_sides)
{
	uint32_t a, b, before, between, after;

	start();
	fake_pass(400);
	two_threads(A);
	fake_pass(700);
	host_on(&threads[1]);
	host_leave_late(&tasks[1]);
	two_threads(B);
	fake_pass(900);
	host_finalize();
	fake_fold();
	a = fake_region(MS_PARALLEL_REGION, A, 0);
	b = fake_region(MS_PARALLEL_REGION, B, 0);
	before = fake_region(MS_SERIAL_REGION, 0, 0);
	between = fake_region(MS_SERIAL_REGION, A, 0);
	after = fake_region(MS_SERIAL_REGION, B, 0);
	CHECK(a != MS_REGION_NONE && b != MS_REGION_NONE && before != between && between != after);
	CHECK_NEAR(fake_stat(before, 0, MS_METRIC_WALL_TIME).sum, 400, 0);
	CHECK_NEAR(fake_stat(between, 0, MS_METRIC_WALL_TIME).sum, 700, 0);
	CHECK_NEAR(fake_stat(between, 0, MS_METRIC_TIME).sum, 700, 0);
	CHECK_NEAR(fake_stat(after, 0, MS_METRIC_WALL_TIME).sum, 900, 0);
	CHECK_INT(region_table_at(segment_regions(core_segment()), before)->inside, A);
	CHECK_INT(region_table_at(segment_regions(core_segment()), between)->inside, B);
	CHECK_INT(region_table_at(segment_regions(core_segment()), after)->inside, 0);
}

TEST(events__one_thread_team_has_no_closing_barrier)
{
	uint32_t a;

	start();
	fork_team(&team, 1, A);
	fake_pass(50);
	host_implicit_end(&tasks[0], 0);
	fake_pass(3);
	host_parallel_end(&team);
	fake_fold();
	a = fake_region(MS_PARALLEL_REGION, A, 0);
	CHECK_NEAR(fake_stat(a, 0, MS_METRIC_TIME).sum, 50, 0);
	CHECK_NEAR(fake_stat(a, 0, MS_METRIC_WALL_TIME).sum, 63, 0);
	CHECK_INT(fake_stat(a, 0, MS_METRIC_BARRIER_WAIT).count, 0);
}

/* Parallel regions beyond the table's room are counted as dropped. */
TEST(events__full_table)
{
	struct region_table *table;

	start();
	table = segment_regions(core_segment());
	for (uint64_t construct = 0x10000; region_table_count(table) < MS_REGION_MAX; construct++)
		CHECK_THAT(region_table_get(table, MS_BARRIER_REGION, construct, MS_REGION_USER,
					    &(bool){ false }),
			   !=, MS_REGION_NONE);
	two_threads(A);
	two_threads(B);
	CHECK_THAT(region_table_dropped(table), >=, 2);
}

/* Loops that the runtime does not see begin and end with each thread's share. */
TEST(events__static_loop)
{
	struct region_table *table;
	uint32_t parallel, loop;

	start();
	table = segment_regions(core_segment());
	two_threads(A);
	parallel = fake_region(MS_PARALLEL_REGION, A, 0);
	loop = region_table_get(table, MS_DO_REGION, B, parallel, &(bool){ false });
	region_note_loop_end(table, loop, 0);
	region_note_static_loop(table, region_table_at(table, parallel), loop, true);
	two_threads(A);
	two_threads(A);
	fake_fold();
	check_two_threads(parallel, 3);
	CHECK_NEAR(fake_stat(loop, 0, MS_METRIC_TIME).sum, 2 * 210.0, 0);
	CHECK_NEAR(fake_stat(loop, 1, MS_METRIC_TIME).sum, 2 * 100.0, 0);
	CHECK_NEAR(fake_stat(loop, 1, MS_METRIC_CHUNKS).sum, 2, 0);
	CHECK_INT(fake_stat(loop, 0, MS_METRIC_ITERATIONS).count, 0);
}

/* … or with a barrier in the region's own code, whose waiting is the loop's. */
TEST(events__static_loops_behind_barriers)
{
	struct region_table *table;
	uint32_t parallel, loops[2];

	start();
	table = segment_regions(core_segment());
	two_threads(A);
	parallel = fake_region(MS_PARALLEL_REGION, A, 0);
	for (int i = 0; i < 2; i++) {
		loops[i] = region_table_get(table, MS_DO_REGION, i ? C : B, parallel,
					    &(bool){ false });
		region_note_loop_end(table, loops[i], i ? 0 : C);
		region_note_static_loop(table, region_table_at(table, parallel), loops[i], !i);
	}
	for (int round = 0; round < 2; round++) {
		fork_team(&team, 1, A);
		fake_pass(10);
		host_sync(ompt_sync_region_barrier_implementation, ompt_scope_begin, C);
		fake_pass(3);
		host_sync(ompt_sync_region_barrier_implementation, ompt_scope_end, C);
		fake_pass(50);
		host_implicit_end(&tasks[0], 0);
		host_parallel_end(&team);
	}
	fake_fold();
	CHECK_NEAR(fake_stat(loops[0], 0, MS_METRIC_TIME).sum, 20, 0);
	CHECK_NEAR(fake_stat(loops[0], 0, MS_METRIC_BARRIER_WAIT).sum, 6, 0);
	CHECK_NEAR(fake_stat(loops[1], 0, MS_METRIC_TIME).sum, 100, 0);
	CHECK_INT(fake_stat(loops[1], 0, MS_METRIC_BARRIER_WAIT).count, 0);
}

static void pass_barrier(uint64_t construct)
{
	host_sync(ompt_sync_region_barrier_implementation, ompt_scope_begin, construct);
	fake_pass(3);
	host_sync(ompt_sync_region_barrier_implementation, ompt_scope_end, construct);
}

/*
 * for (…) { for (3 times) { loop; barrier B } barrier C }: behind the last B no loop is executed,
 * nor behind the last C.
 */
TEST(events__static_loops_in_loops)
{
	struct region_table *table;
	uint32_t parallel, loop;

	start();
	table = segment_regions(core_segment());
	two_threads(A);
	parallel = fake_region(MS_PARALLEL_REGION, A, 0);
	loop = region_table_get(table, MS_DO_REGION, B, parallel, &(bool){ false });
	region_table_alias(table, MS_DO_REGION, C, parallel, loop);
	region_note_loop_end(table, loop, B);
	region_note_static_loop(table, region_table_at(table, parallel), loop, false);
	fork_team(&team, 1, A);
	pass_barrier(C);
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 3; k++) {
			fake_pass(50);
			pass_barrier(B);
		}
		fake_pass(7);
		pass_barrier(C);
	}
	fake_pass(5);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
	fake_fold();
	CHECK_INT(fake_stat(loop, 0, MS_METRIC_TIME).count, 6);
	CHECK_NEAR(fake_stat(loop, 0, MS_METRIC_TIME).sum, 300, 0);
	CHECK_NEAR(fake_stat(loop, 0, MS_METRIC_TIME).min, 50, 0);
	CHECK_NEAR(fake_stat(loop, 0, MS_METRIC_CHUNKS).sum, 6, 0);
	CHECK_NEAR(fake_stat(loop, 0, MS_METRIC_BARRIER_WAIT).sum, 18, 0);
	CHECK_INT(fake_stat(loop, 0, MS_METRIC_BARRIER_WAIT).count, 6);
}

/* A recursion of tasks that are not followed, as nothing was asked for when they began. */
TEST(events__waits_in_waits_are_one_region)
{
	uint32_t parallel, before;

	start();
	fork_team(&team, 1, A);
	host_sync(ompt_sync_region_taskwait, ompt_scope_begin, B);
	before = region_table_count(segment_regions(core_segment()));
	for (int depth = 0; depth < 20; depth++)
		host_sync(ompt_sync_region_taskwait, ompt_scope_begin, B);
	for (int depth = 0; depth <= 20; depth++)
		host_sync(ompt_sync_region_taskwait, ompt_scope_end, B);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
	parallel = fake_region(MS_PARALLEL_REGION, A, 0);
	CHECK_INT(region_table_count(segment_regions(core_segment())), before);
	CHECK_THAT(fake_region(MS_TASKWAIT_REGION, B, parallel), !=, MS_REGION_NONE);
}

/* 4 threads, then 2: the surplus ones get their END only when they are needed again. */
TEST(events__shrinking_team)
{
	uint32_t a, b;

	start();
	for (int round = 0; round < 2; round++) {
		fork_team(&team, THREADS, A);
		for (int i = 1; i < THREADS; i++) {
			host_on(&threads[i]);
			if (round)
				host_leave_late(&tasks[i]);
			host_implicit_begin(&team, &tasks[i], (unsigned int)i);
			fake_pass(10);
			host_arrive();
		}
		host_on(&threads[0]);
		host_arrive();
		join_team(&team);
		host_on(&threads[1]);
		host_leave_late(&tasks[1]);
		two_threads(B);
	}
	fake_fold();
	a = fake_region(MS_PARALLEL_REGION, A, 0);
	b = fake_region(MS_PARALLEL_REGION, B, 0);
	for (uint32_t i = 1; i < THREADS; i++) {
		CHECK_INT(fake_stat(a, i, MS_METRIC_TIME).count, 2);
		CHECK_NEAR(fake_stat(a, i, MS_METRIC_TIME).sum, 20, 0);
		CHECK_NEAR(fake_stat(a, i, MS_METRIC_BARRIER_WAIT).sum, 2 * 10.0 * (3 - i), 0);
	}
	CHECK_INT(fake_stat(b, 1, MS_METRIC_TIME).count, 2);
	CHECK_INT(fake_stat(b, 2, MS_METRIC_TIME).count, 0);
	CHECK_INT(fake_dropped(), 0);
}

/* Both threads of the outer team begin an inner team; thread 2 is recruited by thread 0, 3 by 1. */
TEST(events__nested_teams)
{
	struct host_team inner[2];
	struct host_task inner_tasks[2][2];
	uint32_t a, b;

	start();
	fork_team(&team, 2, A);
	host_on(&threads[1]);
	host_implicit_begin(&team, &tasks[1], 1);
	for (int i = 0; i < 2; i++) {
		host_on(&threads[i]);
		host_parallel_begin(&inner[i], 2, B);
		host_implicit_begin(&inner[i], &inner_tasks[i][0], 0);
		host_on(&threads[2 + i]);
		host_implicit_begin(&inner[i], &inner_tasks[i][1], 1);
		fake_pass(30);
		host_arrive();
		host_on(&threads[i]);
		fake_pass(10);
		host_arrive();
		host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
		host_implicit_end(&inner_tasks[i][0], 0);
		host_parallel_end(&inner[i]);
	}
	host_on(&threads[1]);
	host_arrive();
	host_on(&threads[0]);
	host_arrive();
	join_team(&team);
	fake_fold();
	a = fake_region(MS_PARALLEL_REGION, A, 0);
	b = fake_region(MS_PARALLEL_REGION, B, a);
	CHECK_THAT(b, !=, MS_REGION_NONE);
	for (uint32_t i = 0; i < 2; i++) {
		CHECK_NEAR(fake_stat(b, i, MS_METRIC_TIME).sum, 40, 0);
		CHECK_NEAR(fake_stat(b, i, MS_METRIC_WALL_TIME).sum, 40, 0);
		CHECK_NEAR(fake_stat(b, 2 + i, MS_METRIC_TIME).sum, 30, 0);
		CHECK_NEAR(fake_stat(b, 2 + i, MS_METRIC_BARRIER_WAIT).sum, 10, 0);
		CHECK_NEAR(fake_stat(a, i, MS_METRIC_TIME).sum, 80, 0);
	}
	CHECK_INT(fake_online.nr_calls, 1); /* only the outermost region may be a boundary */
}

/* As libomp 19 ends gcc's teams: under the parallel data of another region. */
TEST(events__mismatched_parallel_end)
{
	struct host_team league, inner;
	struct host_task task;
	uint32_t a, b;

	start();
	host_parallel_begin(&league, 1, A);
	host_implicit_begin(&league, &tasks[0], 0);
	host_parallel_begin(&inner, 1, 0);
	host_implicit_begin(&inner, &task, 0);
	fake_pass(10);
	host_implicit_end(&task, 0);
	host_parallel_end(&league);
	fake_pass(10);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&league);
	fake_fold();
	a = fake_region(MS_PARALLEL_REGION, A, 0);
	b = fake_region(MS_PARALLEL_REGION, 0, a);
	CHECK_NEAR(fake_stat(a, 0, MS_METRIC_WALL_TIME).sum, 20, 0);
	CHECK_NEAR(fake_stat(b, 0, MS_METRIC_WALL_TIME).sum, 10, 0);
}

TEST(events__region_asked_for_later_ignores_what_began_before)
{
	uint32_t a;

	start();
	fake_request(0);
	fork_team(&team, 2, A);
	host_on(&threads[1]);
	host_implicit_begin(&team, &tasks[1], 1);
	fake_request(1);
	fake_pass(100);
	host_arrive();
	host_on(&threads[0]);
	host_arrive();
	join_team(&team);
	fake_fold();
	a = fake_region(MS_PARALLEL_REGION, A, 0);
	CHECK_INT(fake_stat(a, 0, MS_METRIC_TIME).count, 0);
	CHECK_INT(fake_stat(a, 1, MS_METRIC_TIME).count, 0);
	CHECK_INT(fake_stat(a, 1, MS_METRIC_BARRIER_WAIT).count, 0);
}

TEST(events__region_no_longer_asked_for_still_ends_well)
{
	uint32_t a;

	start();
	fork_team(&team, 1, A);
	fake_request(0);
	fake_pass(70);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
	fake_fold();
	a = fake_region(MS_PARALLEL_REGION, A, 0);
	CHECK_NEAR(fake_stat(a, 0, MS_METRIC_TIME).sum, 70, 0);
}

TEST(events__end_of_another_epoch_is_ignored)
{
	uint32_t a;

	start();
	fork_team(&team, 2, A);
	host_on(&threads[1]);
	host_implicit_begin(&team, &tasks[1], 1);
	events_enable(false);
	fake_pass(100);
	host_arrive();
	events_enable(true);
	host_leave_late(&tasks[1]);
	fake_fold();
	a = fake_region(MS_PARALLEL_REGION, A, 0);
	CHECK_INT(fake_stat(a, 1, MS_METRIC_TIME).count, 0);
	/* and the next region is measured as if nothing had been */
	host_on(&threads[0]);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
	two_threads(B);
	fake_fold();
	CHECK_NEAR(fake_stat(fake_region(MS_PARALLEL_REGION, B, 0), 1, MS_METRIC_TIME).sum, 100, 0);
}

/* Sensors that work nowhere are reported once, by the probe, and not for every thread. */
TEST(events__threads_do_not_count_for_sensors_that_do_not_work)
{
	struct rlimit few = { .rlim_cur = 8, .rlim_max = 8 };

	CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
	start();
	CHECK(!sensor_works(MS_SENSOR_SAMPLES));
	CHECK(sensor_works(MS_SENSOR_CLOCK));
	CHECK_INT(fake_dropped(), 0);
}

/* With each look at the clock 100 ns go by: beginning and ending sensors takes 200 ns a thread. */
TEST(events__threads_created_anew_have_sensors_within_a_limit)
{
	start();
	events_limit_threads(0.01);
	fake_tick(100);
	for (int i = 0; i < 5; i++) {
		host_thread_end(&threads[3]);
		host_thread_begin(&threads[3], ompt_thread_worker);
	}
	CHECK_INT(fake_dropped(), 4); /* the first one may */
	fake_pass(1000000);
	host_thread_end(&threads[3]);
	host_thread_begin(&threads[3], ompt_thread_worker);
	CHECK_INT(fake_dropped(), 4);
	events_limit_threads(-1);
	for (int i = 0; i < 100; i++) {
		host_thread_end(&threads[3]);
		host_thread_begin(&threads[3], ompt_thread_worker);
	}
	CHECK_INT(fake_dropped(), 4);
}

static void grow_boundary(const struct fake_call *call)
{
	(void)call;
	fake_pass(1000000);
	for (struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		if (thread->index == 0)
			thread->boundary_ns += 1000000;
}

/* The boundary belongs neither to the serial stretch before it nor to the region after it. */
TEST(events__phase_boundary_is_nobodys_time)
{
	uint32_t a;

	fake_online.at_event = grow_boundary;
	start();
	fake_pass(50);
	fork_team(&team, 1, A);
	fake_pass(20);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
	fake_fold();
	a = fake_region(MS_PARALLEL_REGION, A, 0);
	CHECK_NEAR(fake_stat(a, 0, MS_METRIC_WALL_TIME).sum, 30, 0);
	CHECK_NEAR(fake_stat(fake_region(MS_SERIAL_REGION, 0, 0), 0, MS_METRIC_WALL_TIME).sum, 50,
		   0);
	CHECK_INT(fake_online.calls[0].level, 0);
	CHECK_INT(fake_online.calls[0].region, a);
	CHECK_INT(fake_online.calls[0].now_ns, 1050);
}

static struct thread *initial_thread(void)
{
	return threads[0].data.ptr;
}

static void take_500_ns_and_a_boundary(const struct fake_call *call)
{
	(void)call;
	fake_pass(500);
	fake_pass(300000);
	initial_thread()->timed_ns += 300000;
	fake_pass(1000000);
	initial_thread()->boundary_ns += 1000000;
}

/*
 * One callback in 16 stands for 16; the boundary in it is measured by itself, and what a sensor
 * timed.
 */
TEST(events__cost_of_callbacks)
{
	fake_online.at_event = take_500_ns_and_a_boundary;
	start();
	initial_thread()->cost_ns = 0;
	initial_thread()->cost_countdown = 1;
	host_parallel_begin(&team, 1, A);
	CHECK_INT(initial_thread()->cost_ns, 16 * 500);
	CHECK_INT(initial_thread()->boundary_ns, 1000000);
}

/* Each to the region that it is about, also inside of another one. */
TEST(events__cost_of_a_regions_callbacks)
{
	uint32_t region, loop;

	fake_online.at_event = take_500_ns_and_a_boundary;
	start();
	initial_thread()->cost_countdown = 1;
	fork_team(&team, 1, A);
	initial_thread()->cost_countdown = 1;
	host_work(ompt_work_loop_static, ompt_scope_begin, 10, B);
	initial_thread()->cost_countdown = 1;
	host_work(ompt_work_loop_static, ompt_scope_end, 10, B);
	fake_fold();
	region = fake_region(MS_PARALLEL_REGION, A, 0);
	loop = fake_region(MS_DO_REGION, B, region);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_TOOL_TIME).sum, 16 * 500, 0);
	CHECK_INT(fake_stat(region, 0, MS_METRIC_TOOL_TIME).count, 1);
	CHECK_NEAR(fake_stat(loop, 0, MS_METRIC_TOOL_TIME).sum, 16 * 500, 0);
	CHECK_INT(fake_stat(loop, 0, MS_METRIC_TOOL_TIME).count, 2);
	/* as of now, without requests of it */
	fake_request(false);
	initial_thread()->cost_countdown = 1;
	host_work(ompt_work_loop_static, ompt_scope_begin, 10, B);
	fake_fold();
	CHECK_INT(fake_stat(loop, 0, MS_METRIC_TOOL_TIME).count, 0);
}

/* The distances between timed callbacks are 16 on average, and not all alike. */
TEST(events__cost_is_drawn_at_random)
{
	double sum = 0, sum_squares = 0;
	uint32_t last;

	start();
	last = initial_thread()->cost_countdown;
	for (int i = 0, drawn = 0; drawn < 2000 && i < 100000; i++) {
		host_control(0, 0);
		host_masked(ompt_scope_begin, B);
		host_masked(ompt_scope_end, B);
		if (initial_thread()->cost_countdown > last) {
			sum += initial_thread()->cost_countdown;
			sum_squares += (double)initial_thread()->cost_countdown *
				       initial_thread()->cost_countdown;
			drawn++;
		}
		last = initial_thread()->cost_countdown;
	}
	CHECK_NEAR(sum / 2000, 16, 1);
	CHECK_THAT(sum_squares / 2000 - (sum / 2000) * (sum / 2000), >, 40);
}

static uint64_t ends_reported(void)
{
	return fake_online.nr_finishes;
}

/*
 * exit() on a worker inside the region: no END, no finalize; then everything late, after the end.
 */
TEST(events__exit_inside_a_region)
{
	start();
	two_threads(A);
	host_on(&threads[1]);
	host_leave_late(&tasks[1]);
	fork_team(&team, 2, B);
	host_on(&threads[1]);
	host_implicit_begin(&team, &tasks[1], 1);
	host_finalize();
	CHECK_INT(ends_reported(), 1);
	host_finalize();
	CHECK_INT(ends_reported(), 1);
	host_arrive();
	host_leave_late(&tasks[1]);
	host_on(&threads[0]);
	host_arrive();
	join_team(&team);
	host_thread_end(&threads[0]);
	fake_fold();
	CHECK_NEAR(fake_stat(fake_region(MS_PARALLEL_REGION, A, 0), 1, MS_METRIC_TIME).sum, 100, 0);
	CHECK_INT(fake_stat(fake_region(MS_PARALLEL_REGION, B, 0), 1, MS_METRIC_TIME).count, 0);
}

/*
 * libomp's fork handler runs before ours: the child's thread_begin and implicit task are the first
 * it says.
 */
TEST(events__child_of_a_fork_does_nothing)
{
	struct host_thread child_thread = { 0 };
	int status = -1;
	pid_t child;

	start();
	two_threads(A);
	child = fork();
	if (child == 0) {
		uint32_t calls = fake_online.nr_calls,
			 regions = region_table_count(segment_regions(core_segment()));

		host_thread_begin(&child_thread, ompt_thread_initial);
		host_initial_task(&initial);
		host_parallel_begin(&team, 2, 0x7777);
		host_parallel_end(&team);
		host_finalize();
		_exit(child_thread.data.ptr || fake_online.nr_calls != calls ||
		      fake_online.nr_finishes || fake_online.nr_forgets != 1 ||
		      region_table_count(segment_regions(core_segment())) != regions);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 0);
	host_finalize();
	CHECK_INT(ends_reported(), 1);
}

TEST(events__off_means_off)
{
	fake_online.off = 1;
	start();
	CHECK(threads[0].data.ptr == NULL);
	two_threads(A);
	CHECK_INT(fake_online.nr_calls, 0);
	CHECK_INT(region_table_count(segment_regions(core_segment())), 1);
}

TEST(events__threads_the_runtime_does_not_know)
{
	start();
	host_on(NULL);
	host_parallel_begin(&team, 2, A);
	host_implicit_begin(&team, &tasks[0], 0);
	host_work(ompt_work_loop_static, ompt_scope_begin, 8, B);
	host_arrive();
	host_leave_late(&tasks[0]);
	host_parallel_end(&team);
	CHECK_INT(host_control(64, 1), 0);
	CHECK_INT(fake_online.nr_controls, 0);
	CHECK_INT(region_table_count(segment_regions(core_segment())), 1);
}

TEST(events__control_tool_reaches_the_online_part)
{
	start();
	CHECK_INT(host_control(64, 3), 0);
	CHECK_INT(fake_online.last_command, 64);
	CHECK_INT(fake_online.last_modifier, 3);
}

TEST(events__mutex_released_is_not_registered)
{
	start();
	CHECK(!host_registered(ompt_callback_mutex_released));
	CHECK(host_registered(ompt_callback_parallel_begin));
}

/* More nested regions than slots: counted, and the program goes on. */
TEST(events__nesting_beyond_the_room_is_counted)
{
	static struct host_team deep[80];
	static struct host_task deep_tasks[80];

	start();
	for (int i = 0; i < 80; i++) {
		host_parallel_begin(&deep[i], 1, A + (unsigned int)i);
		host_implicit_begin(&deep[i], &deep_tasks[i], 0);
	}
	fake_pass(5);
	for (int i = 79; i >= 0; i--) {
		host_implicit_end(&deep_tasks[i], 0);
		host_parallel_end(&deep[i]);
	}
	CHECK_THAT(fake_dropped(), >, 0);
	fake_fold();
	CHECK_NEAR(fake_stat(fake_region(MS_PARALLEL_REGION, A, 0), 0, MS_METRIC_TIME).sum, 5, 0);
	two_threads(B);
	fake_fold();
	CHECK_NEAR(fake_stat(fake_region(MS_PARALLEL_REGION, B, 0), 1, MS_METRIC_TIME).sum, 100, 0);
}

/* An END of parallel that never comes must not use up the slots for ever. */
TEST(events__lost_parallel_ends_heal)
{
	start();
	for (int i = 0; i < 200; i++) {
		fork_team(&team, 1, B);
		host_implicit_end(&tasks[0], 0);
	}
	fork_team(&team, 1, A);
	fake_pass(7);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
	fake_fold();
	CHECK_NEAR(fake_stat(fake_region(MS_PARALLEL_REGION, A, 0), 0, MS_METRIC_WALL_TIME).sum, 17,
		   0);
	CHECK_INT(fake_dropped(), 0);
}

TEST(events__path_of_a_new_region_is_in_the_program)
{
	const struct region *region;

	start();
	two_threads(A);
	region = region_table_at(segment_regions(core_segment()),
				 fake_region(MS_PARALLEL_REGION, A, 0));
	/*
	 * here the program, the runtime and the tool are one file, all of whose addresses are left
	 * out
	 */
	CHECK_THAT(region->nr_path, <=, REGION_PATH_MAX);
	for (uint32_t i = 0; i < region->nr_path; i++)
		CHECK_THAT(region->path[i], !=, 0);
}
