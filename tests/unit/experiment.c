/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions of a phase from the fake host's events to the database: region 0's sums, and its
 * threads.
 */
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#include "analysis/base/arena.h"
#include "analysis/options/options.h"
#include "analysis/record/run.h"
#include "analysis/search/database_reading.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/session/experiment.h"
#include "ompt_tool/session/sensors.h"

#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 3
#define PARALLEL 0x1000u
#define LOOP 0x1100u

static struct host_thread threads[THREADS];
static struct host_task tasks[THREADS], initial;
static struct host_team team;
static struct arena *arena;
static struct database *db;
static struct experiment *experiment;
static struct run run;

static struct ms_request everywhere(uint32_t metric)
{
	return (struct ms_request){
		.metric = metric,
		.region = MS_REGION_USER,
		.thread = MS_REQUEST_ALL_THREADS,
		.flags = MS_REQUEST_SUBREGIONS,
	};
}

static void ask(const struct ms_request *requests, size_t nr)
{
	database_requests(db, requests, nr);
	experiment_request(experiment, requests, nr);
}

static void start_asking(struct ms_request first)
{
	struct ms_region_info user = { .parent = MS_REGION_NONE, .kind = MS_USER_REGION };

	fake_time(1000);
	CHECK(host_start(core_start));
	arena = arena_new();
	db = database_new(arena);
	database_region(db, &user);
	CHECK(sensors_begin(&(struct sensor_record){ .arena = arena,
						     .run = &run,
						     .regions = segment_regions(core_segment()) },
			    &(struct options){ .event = "" }));
	experiment = experiment_new(arena, core_segment(), &run, inventory_new(arena));
	ask(&first, 1);
	host_thread_begin(&threads[0], ompt_thread_initial);
	host_initial_task(&initial);
	for (int i = 1; i < THREADS; i++)
		host_thread_begin(&threads[i], ompt_thread_worker);
}

static void start(void)
{
	start_asking(everywhere(MS_METRIC_TIME));
}

static void begin(unsigned int size)
{
	host_on(&threads[0]);
	host_parallel_begin(&team, size, PARALLEL);
	for (unsigned int i = 0; i < size; i++) {
		host_on(&threads[i]);
		host_implicit_begin(&team, &tasks[i], i);
	}
	host_on(&threads[0]);
}

static void end(unsigned int size)
{
	for (unsigned int i = size; i-- > 0;) {
		host_on(&threads[i]);
		host_arrive();
	}
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
}

static void execution(unsigned int size, double wall_ns)
{
	struct engine_cost cost;

	begin(size);
	fake_pass(100);
	end(size);
	experiment_execution(experiment, db, wall_ns, 1, &cost);
}

static double phase_threads(void)
{
	struct database_view view;
	struct property_context context = database_context(&view, db, DATABASE_ALL_BATCHES,
							   MS_REGION_USER);

	return context.constant(context.data, "phase_threads").value;
}

static void spend(uint32_t index, uint64_t callbacks_ns, bool successor)
{
	for (struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		if (thread->index == index) {
			thread->cost_ns += callbacks_ns;
			thread->successor = successor;
		}
}

static struct engine_cost cost_of_execution(unsigned int size)
{
	struct engine_cost cost;

	begin(size);
	fake_pass(100);
	end(size);
	experiment_execution(experiment, db, 1e6, 1, &cost);
	return cost;
}

/*
 * Others wait for the thread that spends most; threads created anew are waited for besides; CPUs
 * share what more threads than CPUs spend.
 */
TEST(experiment__loss_is_of_threads_that_are_waited_for)
{
	double before_ns;

	start();
	execution(3, 1e6);
	run.machine.cpus = 8;
	before_ns = cost_of_execution(3).tool_ns; /* of the callbacks themselves */
	spend(0, 20000, false);
	spend(1, 50000, false);
	CHECK_NEAR(cost_of_execution(3).tool_ns, 50000 + before_ns, 1000);
	spend(0, 20000, false);
	spend(1, 50000, true);
	spend(2, 30000, true);
	CHECK_NEAR(cost_of_execution(3).tool_ns, 70000 + before_ns, 1000);
	run.machine.cpus = 1;
	for (uint32_t i = 0; i < 3; i++)
		spend(i, 40000, false);
	CHECK_NEAR(cost_of_execution(3).tool_ns, 120000 + 3 * before_ns, 1000);
	CHECK_THAT(experiment_lost_ns(experiment), >=, 290000);
}

TEST(experiment__threads_are_the_mean_by_wall_time)
{
	start();
	for (int i = 0; i < 7; i++)
		execution(3, 100.1 + i / 3.0);
	/* exactly, or three threads might be more than three CPUs */
	CHECK_NEAR(phase_threads(), 3, 0);
	experiment_restart(experiment); /* another phase */
	execution(2, 300);
	execution(1, 100);
	CHECK_NEAR(phase_threads(), 1.75, 1e-12);
	CHECK_INT(experiment_threads(experiment), 3);
}

/* What is asked for says nothing of how many threads there are. */
TEST(experiment__threads_do_not_depend_on_requests)
{
	struct ms_request lock = everywhere(MS_METRIC_LOCK_WAIT),
			  other = { .metric = MS_METRIC_TIME, .region = 1 };

	start();
	execution(3, 100);
	ask(&lock, 1);
	execution(3, 100);
	ask(&other, 1);
	execution(2, 100); /* the phase's wall time is not observed */
	CHECK_NEAR(phase_threads(), 3, 0);
}

TEST(experiment__serial_stretches_do_not_make_the_team_smaller)
{
	struct engine_cost cost;

	start();
	begin(2);
	end(2);
	experiment_stretch(experiment, db, 100, &cost);
	fake_pass(1000);
	experiment_stretch(experiment, db, 900, &cost);
	CHECK_NEAR(phase_threads(), 2, 0);
}

/*
 * Simulating takes longer than all the rest of the execution: whoever asks for the next one must
 * know.
 */
TEST(experiment__what_its_end_takes_is_the_execution_s)
{
	struct engine_cost cost;

	start();
	begin(2);
	events_self()->cost_ns += 40;
	end(2);
	fake_tick(7);
	experiment_execution(experiment, db, 1000, 1, &cost);
	fake_tick(0);
	CHECK_THAT(cost.program_ns, <=, 1000 - 40);
	CHECK_THAT(cost.tool_ns, >=, 1000 - cost.program_ns + 7);
	begin(2);
	end(2);
	experiment_execution(experiment, db, 1000, 1, &cost);
	CHECK_NEAR(cost.tool_ns, 1000 - cost.program_ns, 0);
}

static double of_phase(uint32_t thread, uint32_t metric)
{
	return database_reading(db, DATABASE_ALL_BATCHES, MS_REGION_USER, thread, metric).value;
}

/*
 * Every thread touches pages in each execution; an orphaned loop lies in a serial stretch, which
 * has its faults already.
 */
static void touch(int pages)
{
	static char memory[4096 * 4096];
	static int next;

	for (int i = 0; i < pages; i++, next++)
		*(volatile char *)&memory[next % 4096 * 4096] = 1;
}

TEST(experiment__phase_has_each_fault_once)
{
	struct ms_request faults = everywhere(MS_METRIC_MINOR_FAULTS);
	struct engine_cost cost;

	start();
	ask(&faults, 1);
	begin(1); /* from its end on serial code is measured, too */
	end(1);
	experiment_restart(experiment);
	for (int i = 0; i < 3; i++) {
		host_work(ompt_work_loop_static, ompt_scope_begin, 10, LOOP);
		touch(500);
		host_work(ompt_work_loop_static, ompt_scope_end, 10, LOOP);
		begin(1);
		touch(300);
		end(1);
		experiment_execution(experiment, db, 100, 1, &cost);
	}
	CHECK_THAT(of_phase(0, MS_METRIC_MINOR_FAULTS), >=, 800);
#if !SANITIZED /* whose shadow memory faults, too */
	/* some are our own tables' */
	CHECK_THAT(of_phase(0, MS_METRIC_MINOR_FAULTS), <, 1100);
#endif
}

static struct thread *thread_at(uint32_t index)
{
	struct thread *thread = thread_next(NULL);

	while (thread && thread->index != index)
		thread = thread_next(thread);
	return thread;
}

static enum ms_missing node_missing(uint32_t thread)
{
	return database_reading(db, DATABASE_ALL_BATCHES, MS_REGION_USER, thread, MS_METRIC_NODE)
		.missing;
}

/*
 * One look an execution, however often it is asked and whether it changed or not: nine here and one
 * elsewhere are here.
 */
TEST(experiment__node_of_each_thread)
{
	struct ms_request node = { .metric = MS_METRIC_NODE,
				   .region = MS_REGION_USER,
				   .thread = MS_REQUEST_ALL_THREADS };
	unsigned int cpu, here;

	start();
	ask(&node, 1);
	for (int i = 0; i < 9; i++)
		execution(i ? 2 : 3, 100);
	CHECK_INT(syscall(SYS_getcpu, &cpu, &here, NULL), 0);
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		CHECK_INT(node_missing(thread), MS_PRESENT);
		CHECK_NEAR(of_phase(thread, MS_METRIC_NODE), here, 0);
	}
	summary_set(thread_at(1)->summary, MS_REGION_USER, MS_METRIC_NODE, here + 7);
	execution(2, 100);
	CHECK_INT(node_missing(1), MS_PRESENT);
	CHECK_NEAR(of_phase(1, MS_METRIC_NODE), here, 0);
	execution(2, 100);
	CHECK_INT(node_missing(1), MS_MISSING_MOVED);
	CHECK_INT(node_missing(0), MS_PRESENT);
}

/* Threads that do not take part have no values; the number of others is that of this execution. */
TEST(experiment__by_threads)
{
	struct ms_request node = { .metric = MS_METRIC_NODE,
				   .region = MS_REGION_USER,
				   .thread = MS_REQUEST_ALL_THREADS };

	start();
	ask(&node, 1);
	experiment_by_threads(experiment);
	execution(3, 100);
	CHECK_INT(experiment_joined(experiment), 3);
	CHECK_NEAR(phase_threads(), 3, 0);
	database_clear(db);
	ask(&node, 1);
	execution(1, 100);
	CHECK_INT(experiment_joined(experiment), 1);
	CHECK_NEAR(phase_threads(), 1, 0);
	CHECK_INT(node_missing(0), MS_PRESENT);
	CHECK_THAT(node_missing(1), !=, MS_PRESENT);
	execution(2, 100);
	CHECK_NEAR(phase_threads(), 2, 0);
	CHECK_INT(node_missing(1), MS_PRESENT);
	CHECK_THAT(node_missing(2), !=, MS_PRESENT);
	CHECK(!experiment_is_inside(experiment));
	begin(2);
	experiment_skip(experiment, false);
	CHECK(experiment_is_inside(experiment));
	end(2);
}

/*
 * Where a thread is before its first parallel region does not count: the runtime has not bound it
 * yet.
 */
TEST(experiment__node_from_the_first_parallel_region_on)
{
	struct engine_cost cost;

	start_asking(everywhere(MS_METRIC_NODE));
	CHECK_THAT(thread_at(0)->last_cpu, >, 0); /* it was looked at */
	experiment_stretch(experiment, db, 100, &cost);
	CHECK_THAT(node_missing(0), !=, MS_PRESENT);
	execution(2, 100);
	CHECK_INT(node_missing(0), MS_PRESENT);
	CHECK_INT(node_missing(2), MS_MISSING_NOT_EXECUTED);
}
