/* SPDX-License-Identifier: Apache-2.0 */
/* Events on real threads at once, folded meanwhile, and on 256 threads in 10,000 regions. */
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define TEAM 4
#define REGIONS 400

static struct host_thread members[TEAM];
static struct host_task tasks[TEAM], initial;
static struct host_team team;
static pthread_barrier_t fork_barrier, join_barrier;
static int ending;

/* The body of a region: a loop with its barrier, a task, a critical. */
static void body(struct host_task *own)
{
	struct host_task task;

	host_work(ompt_work_loop_static, ompt_scope_begin, 10, 0x1100);
	host_work(ompt_work_loop_static, ompt_scope_end, 0, 0x1100);
	host_sync(ompt_sync_region_barrier_implicit_workshare, ompt_scope_begin, 0x1104);
	host_sync(ompt_sync_region_barrier_implicit_workshare, ompt_scope_end, 0x1104);
	host_acquire(ompt_mutex_critical, 0x1200);
	host_acquired(ompt_mutex_critical, 0x1200);
	host_task_create(&task, 0x1300);
	host_task_schedule(own, ompt_task_switch, &task);
	host_task_schedule(&task, ompt_task_complete, own);
}

/* A worker, as libomp's: it hears of the end of a region when the next one begins. */
static void *work(void *ctx)
{
	struct host_thread *member = ctx;
	unsigned int index = (unsigned int)(member - members);
	bool late = false;

	host_thread_begin(member, ompt_thread_worker);
	for (;;) {
		pthread_barrier_wait(&fork_barrier);
		if (late)
			host_leave_late(&tasks[index]);
		if (ending)
			break;
		late = true;
		host_implicit_begin(&team, &tasks[index], index);
		body(&tasks[index]);
		host_arrive();
		pthread_barrier_wait(&join_barrier);
	}
	host_thread_end(member);
	return NULL;
}

static void run_region(uint64_t code)
{
	host_parallel_begin(&team, TEAM, code);
	host_implicit_begin(&team, &tasks[0], 0);
	pthread_barrier_wait(&fork_barrier);
	body(&tasks[0]);
	host_arrive();
	pthread_barrier_wait(&join_barrier);
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
}

struct totals {
	uint64_t counts[MS_METRICS];
	double negative;
};

static void add_up(void *ctx, const struct ms_measurement *row)
{
	struct totals *totals = ctx;

	totals->counts[row->metric] += row->stat.count;
	if (row->stat.sum < 0 || row->stat.min < 0)
		totals->negative++;
}

TEST(events_threads__nothing_lost_while_folding)
{
	struct totals totals = { 0 };
	pthread_t workers[TEAM];

	CHECK(host_start(core_start));
	host_thread_begin(&members[0], ompt_thread_initial);
	host_initial_task(&initial);
	pthread_barrier_init(&fork_barrier, NULL, TEAM);
	pthread_barrier_init(&join_barrier, NULL, TEAM);
	for (int i = 1; i < TEAM; i++)
		CHECK_INT(pthread_create(&workers[i], NULL, work, &members[i]), 0);
	for (int i = 0; i < REGIONS; i++) {
		run_region(0x1000 + 0x1000 * (uint64_t)(i % 3));
		if (i % 7 == 0)
			events_fold(add_up, &totals);
	}
	ending = 1;
	pthread_barrier_wait(&fork_barrier);
	for (int i = 0; i < 50; i++)
		events_fold(add_up, &totals); /* while the late ENDs arrive */
	for (int i = 1; i < TEAM; i++)
		pthread_join(workers[i], NULL);
	events_fold(add_up, &totals);
	CHECK_INT(fake_dropped(), 0);
	CHECK_INT(totals.counts[MS_METRIC_START_DELAY], TEAM * REGIONS);
	/* region, loop, and the serial stretch before */
	CHECK_INT(totals.counts[MS_METRIC_TIME], 2 * TEAM * REGIONS + REGIONS);
	CHECK_INT(totals.counts[MS_METRIC_BARRIER_WAIT], 2 * TEAM * REGIONS);
	CHECK_INT(totals.counts[MS_METRIC_LOCK_WAIT], TEAM * REGIONS);
	CHECK_INT(totals.counts[MS_METRIC_TASKS], TEAM * REGIONS);
	CHECK_INT(totals.counts[MS_METRIC_WALL_TIME], 2 * REGIONS);
	CHECK_NEAR(totals.negative, 0, 0);
}

/*
 * Threads that are initial threads of their own, each with its regions, beginning and ending at
 * once.
 */
static void *own_root(void *ctx)
{
	struct host_thread root = { .data = { 0 } };
	struct host_team own = { .size = 1 };
	struct host_task task, first;

	(void)ctx;
	host_thread_begin(&root, ompt_thread_initial);
	host_initial_task(&first);
	for (int i = 0; i < 50; i++) {
		host_parallel_begin(&own, 1, 0x9000 + (unsigned int)i * 16);
		host_implicit_begin(&own, &task, 0);
		host_implicit_end(&task, 0);
		host_parallel_end(&own);
	}
	host_thread_end(&root);
	return NULL;
}

TEST(events_threads__other_initial_threads_are_no_phase)
{
	struct totals totals = { 0 };
	pthread_t roots[TEAM];

	CHECK(host_start(core_start));
	host_thread_begin(&members[0], ompt_thread_initial);
	host_initial_task(&initial);
	for (int i = 0; i < TEAM; i++)
		CHECK_INT(pthread_create(&roots[i], NULL, own_root, NULL), 0);
	for (int i = 0; i < TEAM; i++)
		pthread_join(roots[i], NULL);
	events_fold(add_up, &totals);
	CHECK_INT(totals.counts[MS_METRIC_TIME], TEAM * 50);
	CHECK_INT(fake_online.nr_calls, 0);
	CHECK_INT(thread_count(), TEAM + 1);
}

#if SANITIZED
#define MANY_THREADS 64
#define PARALLELS 20
#else
#define MANY_THREADS 256
#define PARALLELS 100
#endif
/* in each parallel region: 100 × (1 + 99) = 10,000 regions */
#define LOOPS 99

static struct host_thread many[MANY_THREADS];
static struct host_task many_tasks[MANY_THREADS];

static void run_loops(uint64_t code)
{
	for (uint64_t i = 0; i < LOOPS; i++) {
		host_work(ompt_work_loop_static, ompt_scope_begin, 10, code + 16 * i);
		fake_pass(3);
		host_work(ompt_work_loop_static, ompt_scope_end, 0, code + 16 * i);
		host_sync(ompt_sync_region_barrier_implicit_workshare, ompt_scope_begin,
			  code + 16 * i);
		fake_pass(1);
		host_sync(ompt_sync_region_barrier_implicit_workshare, ompt_scope_end,
			  code + 16 * i);
	}
	host_arrive();
}

static void run_many(uint64_t code, bool late)
{
	host_on(&many[0]);
	host_parallel_begin(&team, MANY_THREADS, code);
	for (unsigned int i = 0; i < MANY_THREADS; i++) {
		host_on(&many[i]);
		if (late && i)
			host_leave_late(&many_tasks[i]);
		host_implicit_begin(&team, &many_tasks[i], i);
		run_loops(code + 16);
	}
	host_on(&many[0]);
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&many_tasks[0], 0);
	host_parallel_end(&team);
}

TEST(events_threads__10000_regions_on_256_threads)
{
	uint64_t executions = (uint64_t)MANY_THREADS * PARALLELS;
	struct totals totals = { 0 };

	fake_time(1000);
	CHECK(host_start(core_start));
	host_thread_begin(&many[0], ompt_thread_initial);
	host_initial_task(&initial);
	for (int i = 1; i < MANY_THREADS; i++)
		host_thread_begin(&many[i], ompt_thread_worker);
	for (uint64_t i = 0; i < PARALLELS; i++)
		run_many(0x400000 + 0x10000 * i, i > 0);
	events_fold(add_up, &totals);
	/* each with the serial code before it */
	CHECK_INT(region_table_count(segment_regions(core_segment())), 1 + PARALLELS * (2 + LOOPS));
	CHECK_INT(totals.counts[MS_METRIC_START_DELAY], executions);
	CHECK_INT(totals.counts[MS_METRIC_TIME], executions * (1 + LOOPS) + PARALLELS);
	CHECK_INT(totals.counts[MS_METRIC_BARRIER_WAIT], executions * (1 + LOOPS));
	CHECK_INT(fake_dropped(), 0);
}
