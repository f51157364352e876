/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses of explicit tasks: real clones run as tasks of a fake runtime, and count for the task's
 * construct alone.
 */
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/events/event.h"
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/sampling.h"

#define PARALLEL 0x1000u
#define TASK 0x1100u
#define OTHER 0x1200u
#define WAIT 0x1300u
#define LATER 0x1400u
#define VALUES 50

typedef void code(volatile double *at);

static struct host_thread master;
static struct host_task master_task, initial;
static struct host_team team;
static const enum ms_metric reads[] = { MS_METRIC_READS };
static double values[VALUES];
static struct thread *self;
/* the clones: a task's tells its entry, a body's does not */
static code *task, *body;

NOT_INSTRUMENTED static void add_one(volatile double *at)
{
	for (int i = 0; i < VALUES; i++)
		at[i] = at[i] + 1;
}

NOT_INSTRUMENTED static void add_two(volatile double *at)
{
	for (int i = 0; i < VALUES; i++)
		at[i] = at[i] + 2;
}

static code *clone(code *of, uint32_t probes)
{
	const struct clone_options options = { .probes = probes, .runtime_calls_it = true };
	const struct clone *made = clone_make((uintptr_t)of, &options);

	CHECK(made != NULL);
	return (code *)made->code;
}

static void begin_team(void)
{
	self->next_body = (uintptr_t)add_two;
	self->next_body_is_clone = true;
	host_parallel_begin(&team, 1, PARALLEL);
	host_implicit_begin(&team, &master_task, 0);
}

static void start(void)
{
	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	fake_online.metrics = reads;
	fake_online.nr_metrics = 1;
	CHECK(host_start(core_start));
	host_thread_begin(&master, ompt_thread_initial);
	self = master.data.ptr;
	host_initial_task(&initial);
	task = clone(add_one, CLONE_ACCESSES | CLONE_FUNCTION);
	body = clone(add_two, CLONE_ACCESSES);
	begin_team();
}

static void end_team(void)
{
	host_arrive();
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
}

static struct region *region(enum ms_region_kind kind, uint64_t construct)
{
	uint32_t id = fake_region(kind, construct, UINT32_MAX);

	CHECK_THAT(id, !=, MS_REGION_NONE);
	return region_table_at(events.regions, id);
}

static void run_task(struct host_task *from, struct host_task *to, code *what)
{
	host_task_schedule(from, ompt_task_switch, to);
	what(values);
	host_task_schedule(to, ompt_task_complete, from);
}

static bool about(double have, double want)
{
	return have >= want && have <= want + 8; /* and some of the stack */
}

static double read_in(enum ms_region_kind kind, uint64_t construct)
{
	return fake_stat(region(kind, construct)->id, 0, MS_METRIC_READS).sum;
}

TEST(events_task_accesses__are_the_tasks_and_not_the_teams)
{
	struct host_task first, second;

	start();
	body(values);
	host_task_create(&first, TASK);
	host_task_create(&second, TASK);
	run_task(&master_task, &first, task);
	body(values);
	run_task(&master_task, &second, task);
	end_team();
	fake_fold();
	CHECK(about(read_in(MS_TASK_REGION, TASK), 2 * VALUES));
	CHECK(about(read_in(MS_PARALLEL_REGION, PARALLEL), 2 * VALUES));
	CHECK_INT(fake_stat(region(MS_TASK_REGION, TASK)->id, 0, MS_METRIC_READS).count, 2);
	CHECK_INT(region(MS_TASK_REGION, TASK)->unrecorded, 0);
	CHECK_INT(region(MS_PARALLEL_REGION, PARALLEL)->unrecorded, 0);
}

/* At the closing barrier the team has been measured already. */
TEST(events_task_accesses__at_the_closing_barrier)
{
	struct host_task late;

	start();
	host_task_create(&late, TASK);
	body(values);
	host_arrive();
	run_task(&master_task, &late, task);
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&master_task, 0);
	host_parallel_end(&team);
	fake_fold();
	CHECK(about(read_in(MS_TASK_REGION, TASK), VALUES));
	CHECK(about(read_in(MS_PARALLEL_REGION, PARALLEL), VALUES));
}

TEST(events_task_accesses__of_an_original_are_missing_and_harm_nobody_else)
{
	struct host_task original, cloned, other;

	start();
	host_task_create(&original, TASK);
	host_task_create(&cloned, OTHER);
	host_task_create(&other, OTHER);
	body(values);
	run_task(&master_task, &original, add_one);
	run_task(&master_task, &cloned, task);
	/* a clone's words, but not from the begin of a task's */
	run_task(&master_task, &other, body);
	end_team();
	fake_fold();
	CHECK_INT(fake_stat(region(MS_TASK_REGION, TASK)->id, 0, MS_METRIC_READS).count, 0);
	CHECK_INT(region(MS_TASK_REGION, TASK)->unrecorded, 1);
	CHECK(about(read_in(MS_TASK_REGION, OTHER), VALUES));
	CHECK_INT(region(MS_TASK_REGION, OTHER)->unrecorded, 1);
	CHECK(about(read_in(MS_PARALLEL_REGION, PARALLEL), VALUES));
	CHECK_INT(region(MS_PARALLEL_REGION, PARALLEL)->unrecorded, 0);
}

/* A task that waits is left for another, and gone on with. */
TEST(events_task_accesses__at_a_taskwait)
{
	struct host_task outer, inner;

	start();
	host_task_create(&outer, TASK);
	host_task_schedule(&master_task, ompt_task_switch, &outer);
	task(values);
	host_task_create(&inner, OTHER);
	host_sync(ompt_sync_region_taskwait, ompt_scope_begin, WAIT);
	run_task(&outer, &inner, task);
	host_sync(ompt_sync_region_taskwait, ompt_scope_end, WAIT);
	body(values); /* known to be the same code by now */
	host_task_schedule(&outer, ompt_task_complete, &master_task);
	body(values);
	end_team();
	fake_fold();
	CHECK(about(read_in(MS_TASK_REGION, TASK), 2 * VALUES));
	CHECK(about(read_in(MS_TASK_REGION, OTHER), VALUES));
	CHECK(about(read_in(MS_PARALLEL_REGION, PARALLEL), VALUES));
}

/* Code that is in the midst of its creator's, or is called by it: by clang where `if` says no. */
TEST(events_task_accesses__undeferred_is_recorded_as_its_creator_is)
{
	struct host_task inner, outer, original;

	start();
	host_task_create_undeferred(&outer, TASK);
	host_task_schedule(&master_task, ompt_task_switch, &outer);
	body(values);
	host_task_create_undeferred(&inner, OTHER);
	run_task(&outer, &inner, body);
	host_task_schedule(&outer, ompt_task_complete, &master_task);
	host_task_create(&original, WAIT);
	host_task_schedule(&master_task, ompt_task_switch, &original);
	add_one(values);
	host_task_create_undeferred(&inner, OTHER);
	run_task(&original, &inner, body);
	host_task_schedule(&original, ompt_task_complete, &master_task);
	end_team();
	fake_fold();
	CHECK(about(read_in(MS_TASK_REGION, TASK), VALUES));
	CHECK_INT(region(MS_TASK_REGION, TASK)->unrecorded, 0);
	CHECK(about(read_in(MS_TASK_REGION, OTHER), VALUES));
	CHECK_INT(region(MS_TASK_REGION, OTHER)->unrecorded, 1);
	CHECK(about(read_in(MS_PARALLEL_REGION, PARALLEL), 0));
}

/* Untied: its parts may run anywhere, and what runs here counts here. */
TEST(events_task_accesses__of_parts)
{
	struct host_task untied, between;

	start();
	host_task_create(&untied, TASK);
	host_task_schedule(&master_task, ompt_task_switch, &untied);
	task(values);
	host_task_schedule(&untied, ompt_task_switch, &master_task);
	body(values);
	host_task_create(&between, OTHER);
	run_task(&master_task, &between, task);
	host_task_schedule(&master_task, ompt_task_switch, &untied);
	task(values);
	host_task_schedule(&untied, ompt_task_complete, &master_task);
	end_team();
	fake_fold();
	CHECK(about(read_in(MS_TASK_REGION, TASK), 2 * VALUES));
	CHECK(about(read_in(MS_TASK_REGION, OTHER), VALUES));
	CHECK(about(read_in(MS_PARALLEL_REGION, PARALLEL), VALUES));
	CHECK_INT(region(MS_TASK_REGION, TASK)->unrecorded, 0);
	CHECK_INT(self->nr_tasks, 0);
}

/* News of a task that was detached are no switch. */
TEST(events_task_accesses__news_of_others_change_nothing)
{
	struct host_task first, other;

	start();
	host_task_create(&first, TASK);
	host_task_create(&other, OTHER);
	host_task_schedule(&master_task, ompt_task_switch, &first);
	host_task_schedule(&other, ompt_task_early_fulfill, NULL);
	task(values);
	host_task_schedule(&first, ompt_task_complete, &master_task);
	end_team();
	fake_fold();
	CHECK(about(read_in(MS_TASK_REGION, TASK), VALUES));
}

static void inner_region(bool asked)
{
	struct host_team inner;
	struct host_task inner_task;

	self->next_body = (uintptr_t)add_two;
	self->next_body_is_clone = true;
	host_parallel_begin(&inner, 1, OTHER);
	__atomic_store_n(&region(MS_PARALLEL_REGION, OTHER)->requests, asked ? ACCESSES_BIT : 0,
			 __ATOMIC_RELAXED);
	host_implicit_begin(&inner, &inner_task, 0);
	body(values);
	host_arrive();
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&inner_task, 0);
	host_parallel_end(&inner);
}

/*
 * A region inside of a task is its own, whether it is asked for or not; behind it the task goes on.
 */
TEST(events_task_accesses__around_regions)
{
	struct host_task outer;

	start();
	host_task_create(&outer, TASK);
	host_task_schedule(&master_task, ompt_task_switch, &outer);
	task(values);
	inner_region(true);
	inner_region(false);
	inner_region(true);
	body(values);
	host_task_schedule(&outer, ompt_task_complete, &master_task);
	end_team();
	fake_fold();
	CHECK(about(read_in(MS_TASK_REGION, TASK), 2 * VALUES));
	CHECK(about(read_in(MS_PARALLEL_REGION, OTHER), 2 * VALUES));
	CHECK(about(read_in(MS_PARALLEL_REGION, PARALLEL), 0));
}

TEST(events_task_accesses__around_regions_nobody_asked_for)
{
	start();
	body(values);
	inner_region(false);
	body(values);
	end_team();
	fake_fold();
	CHECK(about(read_in(MS_PARALLEL_REGION, PARALLEL), 2 * VALUES));
	CHECK_INT(fake_stat(region(MS_PARALLEL_REGION, OTHER)->id, 0, MS_METRIC_READS).count, 0);
}

TEST(events_task_accesses__deeper_than_there_is_room_are_missing)
{
	static struct host_task chain[THREAD_TASKS + 2];

	start();
	for (int i = 0; i < THREAD_TASKS + 2; i++) {
		host_task_create(&chain[i], i == THREAD_TASKS - 1 ? OTHER : TASK);
		host_task_schedule(i ? &chain[i - 1] : &master_task, ompt_task_switch, &chain[i]);
		task(values);
	}
	for (int i = THREAD_TASKS + 1; i >= 0; i--)
		host_task_schedule(&chain[i], ompt_task_complete, i ? &chain[i - 1] : &master_task);
	end_team();
	fake_fold();
	CHECK_THAT(fake_dropped(), >, 0);
	CHECK_THAT(region(MS_TASK_REGION, TASK)->unrecorded, >=, 2);
	CHECK_INT(region(MS_TASK_REGION, OTHER)->unrecorded, 1);
	CHECK_INT(fake_stat(region(MS_TASK_REGION, OTHER)->id, 0, MS_METRIC_READS).count, 0);
}

/* The function is the task construct's, and no region's that begins without a stand-in. */
TEST(events_task_accesses__whose_function_it_is)
{
	struct host_task first, second, unknown;

	start();
	self->next_task_body = (uintptr_t)add_one;
	host_task_create(&first, TASK);
	host_task_create(&unknown, OTHER);
	host_work(ompt_work_taskloop, ompt_scope_begin, 4, WAIT);
	self->next_task_body = (uintptr_t)add_two;
	host_task_create(&second, WAIT);
	host_task_create(&second, LATER);
	host_work(ompt_work_taskloop, ompt_scope_end, 4, WAIT);
	CHECK_INT(region_bodies(region(MS_TASK_REGION, TASK)), 1);
	CHECK_THAT(region(MS_TASK_REGION, TASK)->bodies[0], ==, (uintptr_t)add_one);
	CHECK_INT(region_bodies(region(MS_TASK_REGION, OTHER)), 0);
	CHECK_THAT(region(MS_TASK_REGION, WAIT)->bodies[0], ==, (uintptr_t)add_two);
	CHECK_THAT(region(MS_TASK_REGION, LATER)->bodies[0], ==, (uintptr_t)add_two);
	self->next_task_body = (uintptr_t)add_one;
	/* the region's own address: it is the construct that has this function */
	host_task_create(&first, PARALLEL);
	CHECK_INT((uint32_t)first.data.value, region(MS_TASK_REGION, TASK)->id);
	self->next_task_body = (uintptr_t)add_one;
	host_task_create(&first, WAIT); /* another construct's */
	CHECK_INT((uint32_t)first.data.value, region(MS_TASK_REGION, TASK)->id);
	CHECK_INT(region_bodies(region(MS_TASK_REGION, WAIT)), 1);
	run_task(&master_task, &second, add_two);
	/* of an executed task's creation nothing is left */
	host_task_create(&second, OTHER);
	CHECK_INT(region_bodies(region(MS_TASK_REGION, OTHER)), 0);
	end_team();
	self->next_task_body = (uintptr_t)add_one;
	host_parallel_begin(&team, 1, OTHER);
	CHECK_INT(region_bodies(region(MS_PARALLEL_REGION, OTHER)), 0);
	CHECK_INT(region_bodies(region(MS_PARALLEL_REGION, PARALLEL)), 1);
	host_parallel_end(&team);
}

/*
 * Which construct a function is of is looked for once, and again where there was none and there may
 * be by now.
 */
TEST(events_task_accesses__whose_function_it_is_stays_known)
{
	struct host_task created;
	struct region *found;

	start();
	self->next_task_body = (uintptr_t)add_one;
	host_task_create(&created, TASK);
	found = region(MS_TASK_REGION, TASK);
	for (int times = 0; times < 2; times++) {
		self->next_task_body = (uintptr_t)add_one;
		host_task_create(&created, PARALLEL);
		CHECK_INT((uint32_t)created.data.value, found->id);
		/* who looked again would not find it */
		found->bodies[0] = (uintptr_t)add_two;
	}
	self->next_task_body = (uintptr_t)body;
	host_task_create(&created, PARALLEL); /* of no construct that is known */
	CHECK_INT((uint32_t)created.data.value, region(MS_TASK_REGION, PARALLEL)->id);
	__atomic_store_n(&region(MS_TASK_REGION, PARALLEL)->bodies[0], 0, __ATOMIC_RELAXED);
	self->next_task_body = (uintptr_t)body;
	host_task_create(&created, OTHER);
	self->next_task_body = (uintptr_t)body;
	host_task_create(&created, PARALLEL);
	CHECK_INT((uint32_t)created.data.value, region(MS_TASK_REGION, OTHER)->id);
}

/* A task of a construct that found no room in the table of regions is nobody's. */
TEST(events_task_accesses__of_no_region)
{
	struct host_task counted, lost;

	start();
	host_task_create(&counted, TASK);
	for (uint64_t construct = 0x10000; region_table_count(events.regions) < MS_REGION_MAX;
	     construct++)
		CHECK_THAT(region_table_get(events.regions, MS_TASK_REGION, construct,
					    MS_REGION_USER, &(bool){ false }),
			   !=, MS_REGION_NONE);
	host_task_create(&lost, OTHER);
	CHECK_INT((uint32_t)lost.data.value, MS_REGION_NONE);
	run_task(&master_task, &lost, task);
	run_task(&master_task, &counted, task);
	end_team();
	fake_fold();
	CHECK(about(read_in(MS_TASK_REGION, TASK), VALUES));
	CHECK(about(read_in(MS_PARALLEL_REGION, PARALLEL), 0));
}
