/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel region that holds the whole time loop is handed over in parts, at phase boundaries
 * inside of it.
 */
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/sampling.h"

#define PARALLEL 0x1000u
#define LOOP 0x1100u
#define BOUNDARY_NS 100000
#define MS 1000000u

static struct host_thread master, worker;
static struct host_task master_task, worker_task, initial;
static struct host_team team;
static bool wanted, may_part;
static const enum ms_metric times[] = { MS_METRIC_TIME, MS_METRIC_CPU_TIME };

/* What boundary.c and experiment.c do at a boundary, which takes its time. */
static void at_boundary(const struct fake_call *call)
{
	if (call->level != 1 || !may_part)
		return;
	events_part(wanted, 1);
	fake_fold();
	fake_pass(BOUNDARY_NS);
	((struct thread *)master.data.ptr)->boundary_ns += BOUNDARY_NS;
}

static void start(void)
{
	fake_time(1000);
	if (!fake_online.metrics) {
		fake_online.metrics = times;
		fake_online.nr_metrics = 2;
	}
	fake_online.at_event = at_boundary;
	wanted = may_part = true;
	CHECK(host_start(core_start));
	host_thread_begin(&master, ompt_thread_initial);
	host_initial_task(&initial);
	host_thread_begin(&worker, ompt_thread_worker);
	host_on(&master);
}

static void begin(void)
{
	host_on(&master);
	host_parallel_begin(&team, 2, PARALLEL);
	host_implicit_begin(&team, &master_task, 0);
	host_on(&worker);
	host_implicit_begin(&team, &worker_task, 1);
}

static void loop(struct host_thread *thread, uint64_t ns)
{
	host_on(thread);
	host_work(ompt_work_loop_static, ompt_scope_begin, 100, LOOP);
	fake_pass(ns);
	host_work(ompt_work_loop_static, ompt_scope_end, 100, LOOP);
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

static struct ms_stat of(uint32_t thread, enum ms_metric metric)
{
	return fake_stat(fake_region(MS_PARALLEL_REGION, PARALLEL, 0), thread, metric);
}

TEST(events_parts__one_value_a_phase_and_none_of_the_boundaries)
{
	struct ms_stat time[2] = { { 0 }, { 0 } }, wall = { 0 }, cpu = { 0 };

	start();
	begin();
	fake_pass(7);
	for (int step = 0; step < 5; step++) {
		loop(&master, 30); /* begins with a boundary */
		CHECK_NEAR(of(0, MS_METRIC_TIME).sum, step ? 50 : 7, 0);
		CHECK_NEAR(of(0, MS_METRIC_WALL_TIME).sum, step ? 50 : 7, 0);
		CHECK_INT(of(0, MS_METRIC_CPU_TIME).count, 1);
		CHECK_INT(of(1, MS_METRIC_TIME).count, step > 0); /* one behind */
		for (int i = 0; i < 2; i++) {
			struct ms_stat part = of((uint32_t)i, MS_METRIC_TIME);

			ms_stat_merge(&time[i], &part);
		}
		loop(&worker, 20);
	}
	may_part = false;
	end();
	wall = of(0, MS_METRIC_WALL_TIME);
	cpu = of(1, MS_METRIC_CPU_TIME);
	CHECK_NEAR(wall.sum, 50, 0);
	CHECK_INT(cpu.count, 2); /* the last part but one, and the last */
	CHECK_NEAR(time[0].sum + of(0, MS_METRIC_TIME).sum, 7 + 5 * 50, 0);
	CHECK_INT(time[0].count + of(0, MS_METRIC_TIME).count, 6);
	/* the worker was in the region during the boundaries */
	CHECK_NEAR(time[1].sum + of(1, MS_METRIC_TIME).sum, 7 + 5 * (50 + BOUNDARY_NS), 0);
	CHECK_INT(fake_dropped(), 0);
}

TEST(events_parts__what_came_before_the_phase_is_forgotten)
{
	start();
	begin();
	fake_pass(1000000);
	wanted = false;
	loop(&master, 30);
	CHECK_INT(of(0, MS_METRIC_TIME).count, 0);
	wanted = true;
	loop(&worker, 20);
	loop(&master, 30);
	CHECK_NEAR(of(0, MS_METRIC_TIME).sum, 50, 0);
	CHECK_NEAR(of(0, MS_METRIC_WALL_TIME).sum, 50, 0);
	CHECK_INT(of(1, MS_METRIC_TIME).count, 0);
	loop(&worker, 20);
	may_part = false;
	end();
	CHECK_NEAR(of(1, MS_METRIC_TIME).sum, 50 + BOUNDARY_NS + 20, 0);
}

/*
 * A worker that begins no construct between the boundary and the end of the region forgets all the
 * same.
 */
TEST(events_parts__forgotten_before_the_last_part)
{
	start();
	begin();
	fake_pass(1000000);
	wanted = false;
	loop(&master, 30);
	may_part = false;
	end();
	CHECK_NEAR(of(0, MS_METRIC_TIME).sum, 30, 0);
	CHECK_NEAR(of(1, MS_METRIC_TIME).sum, 0, 0);
}

/* The last part begins where the worker arrives, and not after it has ended. */
TEST(events_parts__a_last_part_takes_no_less_than_no_time)
{
	double time;

	start();
	begin();
	fake_pass(1000000);
	loop(&master, 30);
	may_part = false;
	fake_tick(1);
	end();
	time = of(1, MS_METRIC_TIME).sum;
	CHECK(time >= 1000030 + BOUNDARY_NS && time < 1000100 + BOUNDARY_NS);
}

static void ask_at_boundary(const struct fake_call *call)
{
	if (call->level == 1)
		fake_request(thread_clock_ns() > 5000);
}

TEST(events_parts__an_open_region_follows_the_requests)
{
	start();
	fake_request(0);
	begin();
	fake_pass(100);
	loop(&master, 30);
	fake_time(10000);
	fake_online.at_event = ask_at_boundary;
	loop(&master, 30);
	loop(&worker, 20);
	fake_online.at_event = NULL;
	end();
	CHECK_NEAR(of(0, MS_METRIC_TIME).sum, 50, 0);
	CHECK_INT(of(0, MS_METRIC_CPU_TIME).count, 1);
	CHECK_NEAR(of(1, MS_METRIC_TIME).sum, 20, 0);
}

TEST(events_parts__outside_of_regions_nothing_is_handed_over)
{
	start();
	may_part = false;
	begin();
	fake_pass(50);
	end();
	events_part(true, 1);
	begin();
	loop(&worker, 20);
	fake_pass(50);
	end();
	CHECK_INT(of(0, MS_METRIC_TIME).count, 1);
	CHECK_NEAR(of(0, MS_METRIC_TIME).sum, 70, 0);
	CHECK_INT(of(1, MS_METRIC_TIME).count, 1);
}

/*
 * What the worker has in a group of executions is of that group, but for a construct, a part and
 * the boundaries.
 */
TEST(events_parts__groups_of_very_different_lengths)
{
	static const int groups[] = { 1, 11, 81, 2, 40, 7 };
	double sum[2] = { 0 };
	uint64_t count[2] = { 0 };

	start();
	begin();
	for (int group = 0; group < 6; group++) {
		may_part = false;
		for (int step = 0; step < groups[group]; step++) {
			loop(&master, MS / 8);
			loop(&worker, MS / 4);
		}
		may_part = true;
		loop(&master, 0);
		for (uint32_t i = 0; i < 2; i++) {
			struct ms_stat part = of(i, MS_METRIC_TIME);

			CHECK_NEAR(part.sum, groups[group] * (MS * 3 / 8),
				   i ? 1.375 * MS + BOUNDARY_NS : 0);
			sum[i] += part.sum;
			count[i] += part.count;
		}
	}
	may_part = false;
	end();
	CHECK_NEAR(sum[0] + of(0, MS_METRIC_TIME).sum, 142 * (MS * 3 / 8), 0);
	CHECK_NEAR(sum[1] + of(1, MS_METRIC_TIME).sum, 142 * (MS * 3 / 8) + 6 * BOUNDARY_NS, 0);
	CHECK_INT(count[0] + of(0, MS_METRIC_TIME).count, 7);
	CHECK_INT(count[1] + of(1, MS_METRIC_TIME).count, 7);
}

/* Without a boundary in it, a long region is one value, however often it was handed over. */
TEST(events_parts__hand_overs_between_boundaries_are_not_counted)
{
	double want = 0, squares = 0;
	struct ms_stat all;

	start();
	may_part = false;
	for (int execution = 1; execution <= 3; execution++) {
		begin();
		for (int i = 0; i < 10 * execution; i++)
			loop(i & 1 ? &worker : &master, MS);
		want += 10.0 * MS * execution;
		squares += 100.0 * MS * MS * execution * execution;
		if (execution < 3) {
			host_on(&worker);
			host_arrive();
			host_on(&master);
			host_arrive();
			host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
			host_implicit_end(&master_task, 0);
			host_parallel_end(&team);
		}
	}
	end();
	for (uint32_t i = 0; i < 2; i++) {
		all = of(i, MS_METRIC_TIME);
		CHECK_INT(all.count, 3);
		CHECK_NEAR(all.sum, want, 0);
		CHECK_NEAR(all.min, 10.0 * MS, 0);
		CHECK_NEAR(all.max, 30.0 * MS, 0);
		CHECK_NEAR(all.sum_squares, squares, squares * 1e-9);
		CHECK_INT(of(i, MS_METRIC_CPU_TIME).count, 3);
	}
	CHECK_NEAR(of(0, MS_METRIC_WALL_TIME).sum, want, 0);
	CHECK_INT(of(0, MS_METRIC_WALL_TIME).count, 3);
	CHECK_NEAR(of(0, MS_METRIC_WALL_TIME).max, 30.0 * MS, 0);
}

NOT_INSTRUMENTED static void touch(volatile char *memory, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < pages; i++)
		memory[i * page] = 1;
}

/* Nobody asked the loops for page faults: the region around them reads its ring while they come. */
TEST(events_parts__rings_are_read_in_time)
{
	static const enum ms_metric metrics[] = { MS_METRIC_FAULT_SAMPLES };
	enum { STEPS = 60, PAGES = 500 }; /* ten rings of the largest size */
	struct ms_stat faults, lost;

	need_sensor(&sensor_faults);
	fake_online.metrics = metrics;
	fake_online.nr_metrics = 1;
	fake_online.kinds = 1u << MS_PARALLEL_REGION;
	start();
	may_part = false;
	begin();
	for (int step = 0; step < STEPS; step++) {
		host_on(&master);
		host_work(ompt_work_loop_static, ompt_scope_begin, 100, LOOP);
		touch(fresh_pages(PAGES), PAGES);
		fake_pass(MS + 1);
		host_work(ompt_work_loop_static, ompt_scope_end, 100, LOOP);
	}
	end();
	faults = of(0, MS_METRIC_FAULT_SAMPLES);
	lost = fake_stat(MS_REGION_USER, 0, MS_METRIC_FAULT_SAMPLES_LOST);
	CHECK_INT(lost.count, 1);
	CHECK_NEAR(lost.sum, 0, 0);
	CHECK_THAT(faults.sum, >=, STEPS * PAGES);
	CHECK_INT(faults.count, 1);
}
