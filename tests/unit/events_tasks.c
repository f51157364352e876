/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks, taskwait, critical and locks through the fake host. */
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#define PARALLEL 0x1000u
#define TASK 0x1100u
#define WAIT 0x1200u
#define CRITICAL 0x1300u

static struct host_thread master, worker;
static struct host_task master_task, worker_task, initial;
static struct host_team team;

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

static uint32_t parallel(void)
{
	return fake_region(MS_PARALLEL_REGION, PARALLEL, 0);
}

static void run_task(struct host_task *from, struct host_task *task, uint64_t ns)
{
	host_task_schedule(from, ompt_task_switch, task);
	fake_pass(ns);
	host_task_schedule(task, ompt_task_complete, from);
}

TEST(events_tasks__time_without_switched_tasks)
{
	struct host_task outer, inner;
	uint32_t task, wait;

	start();
	host_task_create(&outer, TASK);
	host_task_schedule(&master_task, ompt_task_switch, &outer);
	fake_pass(10);
	host_task_create(&inner, TASK);
	host_sync(ompt_sync_region_taskwait, ompt_scope_begin, WAIT);
	fake_pass(3);
	run_task(&outer, &inner, 20);
	fake_pass(4);
	host_sync(ompt_sync_region_taskwait, ompt_scope_end, WAIT);
	fake_pass(5);
	host_task_schedule(&outer, ompt_task_complete, &master_task);
	fake_fold();
	task = fake_region(MS_TASK_REGION, TASK, parallel());
	wait = fake_region(MS_TASKWAIT_REGION, WAIT, task);
	CHECK(task != MS_REGION_NONE && wait != MS_REGION_NONE);
	CHECK_NEAR(fake_stat(task, 0, MS_METRIC_TASKS).sum, 2, 0);
	CHECK_NEAR(fake_stat(task, 0, MS_METRIC_TASK_TIME).sum, 35, 0);
	CHECK_NEAR(fake_stat(task, 0, MS_METRIC_TASK_TIME).max, 20, 0);
	CHECK_NEAR(fake_stat(task, 0, MS_METRIC_TASK_TIME).min, 15, 0);
	/* 27 between begin and end of the taskwait, 20 of them in the other task */
	CHECK_NEAR(fake_stat(wait, 0, MS_METRIC_BARRIER_WAIT).sum, 7, 0);
}

/*
 * A task that is executed at a taskwait waits for its own: both waits together are no longer than
 * the outer one lasts.
 */
TEST(events_tasks__nested_waits_count_once)
{
	struct host_task outer, inner;
	uint32_t outer_wait, inner_wait;

	start();
	host_sync(ompt_sync_region_taskwait, ompt_scope_begin, WAIT);
	fake_pass(3);
	host_task_create(&outer, TASK);
	host_task_schedule(&master_task, ompt_task_switch, &outer);
	fake_pass(10);
	host_task_create(&inner, TASK);
	host_sync(ompt_sync_region_taskwait, ompt_scope_begin, WAIT);
	fake_pass(2);
	run_task(&outer, &inner, 20);
	fake_pass(5);
	host_sync(ompt_sync_region_taskwait, ompt_scope_end, WAIT);
	fake_pass(6);
	host_task_schedule(&outer, ompt_task_complete, &master_task);
	fake_pass(1);
	host_sync(ompt_sync_region_taskwait, ompt_scope_end, WAIT);
	fake_fold();
	outer_wait = fake_region(MS_TASKWAIT_REGION, WAIT, parallel());
	inner_wait = fake_region(MS_TASKWAIT_REGION, WAIT,
				 fake_region(MS_TASK_REGION, TASK, parallel()));
	CHECK(outer_wait != MS_REGION_NONE && inner_wait != MS_REGION_NONE);
	/* 47 in all: 36 in tasks, 7 waited by the inner task, 4 by the outer one */
	CHECK_NEAR(fake_stat(inner_wait, 0, MS_METRIC_BARRIER_WAIT).sum, 7, 0);
	CHECK_NEAR(fake_stat(outer_wait, 0, MS_METRIC_BARRIER_WAIT).sum, 4, 0);
}

/* A task in the closing barrier: the worker was not waiting while it ran. */
TEST(events_tasks__executed_while_waiting_for_the_region_to_end)
{
	struct host_task task;

	start();
	host_task_create(&task, TASK);
	host_on(&worker);
	host_arrive();
	fake_pass(10);
	run_task(&worker_task, &task, 60);
	host_on(&master);
	fake_pass(30);
	host_arrive();
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
	fake_fold();
	CHECK_NEAR(fake_stat(parallel(), 1, MS_METRIC_BARRIER_WAIT).sum, 40, 0);
	CHECK_NEAR(fake_stat(fake_region(MS_TASK_REGION, TASK, parallel()), 1, MS_METRIC_TASK_TIME)
			   .sum,
		   60, 0);
}

/* A recursive task is one region, wherever it is created. */
TEST(events_tasks__recursion_makes_no_regions)
{
	struct host_task chain[10];
	uint32_t before;

	start();
	host_task_create(&chain[0], TASK);
	before = region_table_count(segment_regions(core_segment()));
	for (int i = 0; i < 9; i++) {
		host_task_schedule(i ? &chain[i - 1] : &master_task, ompt_task_switch, &chain[i]);
		host_task_create(&chain[i + 1], TASK);
	}
	CHECK_INT(region_table_count(segment_regions(core_segment())), before);
}

TEST(events_tasks__more_suspended_than_room_is_counted)
{
	static struct host_task chain[100];

	start();
	for (int i = 0; i < 100; i++) {
		host_task_create(&chain[i], TASK);
		host_task_schedule(i ? &chain[i - 1] : &master_task, ompt_task_switch, &chain[i]);
		fake_pass(1);
	}
	for (int i = 99; i >= 0; i--)
		host_task_schedule(&chain[i], ompt_task_complete, i ? &chain[i - 1] : &master_task);
	CHECK_THAT(fake_dropped(), >, 0);
	fake_fold();
	CHECK_NEAR(fake_stat(fake_region(MS_TASK_REGION, TASK, parallel()), 0, MS_METRIC_TASKS).sum,
		   64, 0);
}

TEST(events_tasks__begun_before_they_were_asked_for)
{
	struct host_task task;

	start();
	fake_request(0);
	host_task_create(&task, TASK);
	host_task_schedule(&master_task, ompt_task_switch, &task);
	fake_request(1);
	fake_pass(50);
	host_task_schedule(&task, ompt_task_complete, &master_task);
	fake_fold();
	CHECK_INT(fake_region(MS_TASK_REGION, TASK, UINT32_MAX), MS_REGION_NONE);
}

static void acquire(ompt_mutex_t kind, uint64_t ns)
{
	host_acquire(kind, CRITICAL);
	fake_pass(ns);
	host_acquired(kind, CRITICAL + 4);
}

TEST(events_tasks__waiting_for_mutexes)
{
	start();
	acquire(ompt_mutex_critical, 10);
	acquire(ompt_mutex_critical, 30);
	acquire(ompt_mutex_ordered, 5);
	acquire(ompt_mutex_lock, 7);
	acquire(ompt_mutex_nest_lock, 2);
	acquire(ompt_mutex_test_lock, 100);
	host_on(&worker);
	acquire(ompt_mutex_critical, 4);
	fake_fold();
	CHECK_NEAR(fake_stat(fake_region(MS_CRITICAL_REGION, CRITICAL, parallel()), 0,
			     MS_METRIC_LOCK_WAIT)
			   .sum,
		   40, 0);
	CHECK_NEAR(fake_stat(fake_region(MS_CRITICAL_REGION, CRITICAL, parallel()), 0,
			     MS_METRIC_LOCK_WAIT)
			   .sum_squares,
		   1000, 0);
	CHECK_NEAR(fake_stat(fake_region(MS_CRITICAL_REGION, CRITICAL, parallel()), 1,
			     MS_METRIC_LOCK_WAIT)
			   .sum,
		   4, 0);
	CHECK_NEAR(fake_stat(fake_region(MS_ORDERED_REGION, CRITICAL, parallel()), 0,
			     MS_METRIC_LOCK_WAIT)
			   .sum,
		   5, 0);
	CHECK_NEAR(
		fake_stat(fake_region(MS_LOCK_REGION, CRITICAL, parallel()), 0, MS_METRIC_LOCK_WAIT)
			.sum,
		9, 0);
	CHECK_INT(
		fake_stat(fake_region(MS_LOCK_REGION, CRITICAL, parallel()), 0, MS_METRIC_LOCK_WAIT)
			.count,
		2);
}

/* A critical inside a loop belongs to the loop. */
TEST(events_tasks__mutex_lies_in_the_innermost_construct)
{
	uint32_t loop;

	start();
	host_work(ompt_work_loop_dynamic, ompt_scope_begin, 10, 0x5000);
	acquire(ompt_mutex_critical, 10);
	host_work(ompt_work_loop_dynamic, ompt_scope_end, 10, 0x5000);
	loop = fake_region(MS_DO_REGION, 0x5000, parallel());
	CHECK_THAT(fake_region(MS_CRITICAL_REGION, CRITICAL, loop), !=, MS_REGION_NONE);
}
