/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in orders no runtime would send: nothing breaks, and what is sent properly afterwards is
 * measured exactly.
 */
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#include <stdlib.h>

#define THREADS 5
#define TEAMS 4
#define TASKS 12
#define EVENTS 60000

static struct host_thread threads[THREADS];
static struct host_team teams[TEAMS], clean;
static struct host_task tasks[TASKS], clean_tasks[2], initial;
static unsigned int seed;

static unsigned int any(unsigned int below)
{
	/* the C standard's own example generator: the same everywhere */
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % below;
}

static uint64_t code(void)
{
	return any(5) ? 0x1000 + 16 * any(40) : 0;
}

static ompt_scope_endpoint_t endpoint(void)
{
	return any(2) ? ompt_scope_begin : ompt_scope_end;
}

static void send_any(void)
{
	struct host_task *task = &tasks[any(TASKS)], *other = &tasks[any(TASKS)];
	struct host_team *team = &teams[any(TEAMS)];

	switch (any(14)) {
	case 0: host_parallel_begin(team, 1 + any(4), code()); break;
	case 1: host_parallel_end(team); break;
	case 2: host_implicit_begin(team, task, any(4)); break;
	case 3: host_implicit_end(task, any(9)); break;
	case 4:
	case 5: host_work((ompt_work_t)any(16), endpoint(), any(100), code()); break;
	case 6:
	case 7: host_sync((ompt_sync_region_t)(1 + any(10)), endpoint(), code()); break;
	case 8: host_masked(endpoint(), code()); break;
	case 9: host_reduction(endpoint()); break;
	case 10: host_acquire((ompt_mutex_t)any(9), code()); break;
	case 11: host_acquired((ompt_mutex_t)any(9), code()); break;
	case 12: host_task_create(task, code()); break;
	default: host_task_schedule(task, (ompt_task_status_t)(1 + any(7)), other); break;
	}
}

static void check_invariants(void)
{
	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		CHECK_THAT(thread->depth, <=, THREAD_FRAMES);
		CHECK_THAT(thread->nr_tasks, <=, THREAD_TASKS);
		CHECK(!thread->task_running || thread->nr_tasks);
	}
}

static void never_negative(void *ctx, const struct ms_measurement *row)
{
	(void)ctx;
	CHECK_THAT(row->stat.count, >, 0);
	CHECK(row->stat.min >= 0 && row->stat.sum >= 0 && row->stat.max < 1e9);
}

/* Back to a state a runtime can be in: the initial thread in serial code, a worker that is idle. */
static void clean_region(void)
{
	struct host_task *own = clean_tasks;

	events_enable(false);
	events_enable(true);
	fake_request(1);
	events_fold(never_negative, NULL);
	host_on(&threads[0]);
	host_parallel_begin(&clean, 2, 0x9000);
	host_implicit_begin(&clean, &own[0], 0);
	host_on(&threads[1]);
	host_implicit_begin(&clean, &own[1], 1);
	fake_pass(40);
	host_arrive();
	host_on(&threads[0]);
	fake_pass(60);
	host_arrive();
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&own[0], 0);
	host_parallel_end(&clean);
	fake_fold();
}

static void play(unsigned int with_seed)
{
	uint32_t region;

	seed = with_seed;
	fake_time(1000);
	CHECK(host_start(core_start));
	host_thread_begin(&threads[0], ompt_thread_initial);
	host_initial_task(&initial);
	for (int i = 1; i < THREADS; i++)
		host_thread_begin(&threads[i], ompt_thread_worker);
	for (int i = 0; i < EVENTS; i++) {
		host_on(&threads[any(THREADS)]);
		send_any();
		fake_pass(any(3));
		if (any(500) == 0)
			events_fold(never_negative, NULL);
		if (any(2000) == 0)
			fake_request((int)any(2));
		check_invariants();
	}
	clean_region();
	region = fake_region(MS_PARALLEL_REGION, 0x9000, 0);
	CHECK_NEAR(fake_stat(region, 0, MS_METRIC_TIME).sum, 100, 0);
	CHECK_NEAR(fake_stat(region, 1, MS_METRIC_TIME).sum, 40, 0);
	CHECK_NEAR(fake_stat(region, 1, MS_METRIC_BARRIER_WAIT).sum, 60, 0);
}

TEST(events_random__seed_1)
{
	play(1);
}
TEST(events_random__seed_2)
{
	play(2);
}
TEST(events_random__seed_3)
{
	play(3);
}
TEST(events_random__seed_4)
{
	play(4);
}
