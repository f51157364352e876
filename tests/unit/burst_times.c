/* SPDX-License-Identifier: Apache-2.0 */
/* What bursts stand for: the time of a region without its tasks, that of each kind of task and construct. */
#include "analysis/counting/burst_times.h"

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

#define MS 1000000ull

enum { USER, REGION, SINGLE, TASK, IN_TASK, REGIONS };

static struct run_region regions[REGIONS] = {
	{ .id = USER, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
	{ .id = REGION, .parent = USER, .kind = MS_PARALLEL_REGION },
	{ .id = SINGLE, .parent = REGION, .kind = MS_SINGLE_REGION },
	{ .id = TASK, .parent = REGION, .kind = MS_TASK_REGION },
	{ .id = IN_TASK, .parent = TASK, .kind = MS_CRITICAL_REGION },
};

static struct run_measurement measured(uint32_t region, uint32_t thread, enum ms_metric metric,
				       double ns, uint64_t times)
{
	return (struct run_measurement){
		.row = { .region = region,
			 .thread = thread,
			 .metric = metric,
			 .stat = { .count = times, .sum = ns } },
		.phases = 1,
	};
}

/* Of two threads in a program without phase. */
static struct run new_run(struct run_measurement *rows, size_t nr)
{
	return (struct run){ .regions = regions,
			     .nr_regions = REGIONS,
			     .measurements = rows,
			     .nr_measurements = nr };
}

TEST(burst_times__a_task_has_its_own_time)
{
	struct run_measurement rows[] = {
		measured(REGION, 0, MS_METRIC_TIME, 600, 1),
		measured(REGION, 1, MS_METRIC_TIME, 400, 1),
		measured(SINGLE, 0, MS_METRIC_TIME, 500, 1),
		measured(TASK, 0, MS_METRIC_TASK_TIME, 300, 30),
		measured(TASK, 1, MS_METRIC_TASK_TIME, 500, 50),
		measured(IN_TASK, 1, MS_METRIC_TIME, 90, 9),
	};
	const struct traced_burst bursts[] = { { REGION, 20 }, { TASK, 40 } };
	const struct traced_execution of = { .bursts = bursts, .nr_bursts = 2 };
	struct run run = new_run(rows, sizeof(rows) / sizeof(rows[0]));
	struct arena *arena = arena_new();
	struct burst_times times;

	CHECK(burst_times_init(&times, arena, &run));
	CHECK_NEAR(burst_times(&times, &of, REGION, 0), (1000 - 800) / 20.0, 1e-9);
	CHECK_NEAR(burst_times(&times, &of, SINGLE, 0), (1000 - 800) / 20.0, 1e-9);
	CHECK_NEAR(burst_times(&times, &of, TASK, 0), 800 / 40.0, 1e-9);
	CHECK_NEAR(burst_times(&times, &of, IN_TASK, 0), 800 / 40.0, 1e-9);
	CHECK_THAT(burst_times_of(&times, &of, IN_TASK), ==, TASK);
	CHECK_THAT(burst_times_of(&times, &of, SINGLE), ==, REGION);
	CHECK_NEAR(times.executions[TASK], 50, 1e-9);
	arena_free(arena);
}

/* The rest of the region has what is left of its time, without waits. */
TEST(burst_times__a_construct_has_its_own_time)
{
	struct run_measurement rows[] = {
		measured(REGION, 0, MS_METRIC_TIME, 600e6, 1),
		measured(REGION, 1, MS_METRIC_TIME, 400e6, 1),
		measured(REGION, 0, MS_METRIC_BARRIER_WAIT, 70e6, 1),
		measured(SINGLE, 0, MS_METRIC_TIME, 500e6, 1),
		measured(SINGLE, 1, MS_METRIC_BARRIER_WAIT, 100e6, 1),
		measured(IN_TASK, 1, MS_METRIC_BARRIER_WAIT, 30e6, 1),
	};
	const struct traced_burst bursts[] = { { REGION, 50 * MS }, { SINGLE, 20 * MS } },
				  most[] = { { REGION, 50 * MS },
					     { SINGLE, 49 * MS + MS * 4 / 5 } },
				  uneven[] = { { REGION, 50 * MS },
					       { SINGLE | TRACED_BURST_UNEVEN, 20 * MS } };
	const struct traced_execution of = { .bursts = bursts, .nr_bursts = 2 },
				      without = { .bursts = bursts, .nr_bursts = 1 },
				      little = { .bursts = most, .nr_bursts = 2 },
				      no_scale = { .bursts = uneven, .nr_bursts = 2 };
	struct run run = new_run(rows, sizeof(rows) / sizeof(rows[0]));
	struct arena *arena = arena_new();
	struct burst_times times;

	CHECK(burst_times_init(&times, arena, &run));
	CHECK_THAT(burst_times_of(&times, &of, SINGLE), ==, SINGLE);
	CHECK_NEAR(burst_times(&times, &of, SINGLE, 0), 500 / 20.0, 1e-9);
	CHECK_NEAR(burst_times(&times, &of, REGION, 0), (1000 - 500 - 100) / 30.0, 1e-9);
	/* the construct was not recorded, or hardly anything else was */
	CHECK_THAT(burst_times_of(&times, &without, SINGLE), ==, REGION);
	CHECK_NEAR(burst_times(&times, &without, SINGLE, 0), (1000 - 100) / 50.0, 1e-9);
	CHECK_NEAR(burst_times(&times, &without, REGION, 0), (1000 - 500 - 100) / 50.0, 1e-9);
	CHECK_NEAR(burst_times(&times, &little, REGION, 0), (1000 - 100) / 50.0, 1e-9);
	/* the construct's time is no scale for it, but not the region's either */
	CHECK_NEAR(burst_times(&times, &no_scale, SINGLE, 0), (1000 - 100) / 50.0, 1e-9);
	CHECK_NEAR(burst_times(&times, &no_scale, REGION, 0), (1000 - 500 - 100) / 30.0, 1e-9);
	arena_free(arena);
}

/* Whole executions, slower than others: before the phase was found eight, where it has two. */
TEST(burst_times__more_executions_than_of_the_phase)
{
	struct run_measurement rows[] = {
		measured(REGION, 0, MS_METRIC_TIME, 1000, 2),
	};
	const struct traced_burst burst = { REGION, 80000 };
	const struct traced_execution of = { .bursts = &burst, .nr_bursts = 1, .phases = 1 };
	struct run run = new_run(rows, sizeof(rows) / sizeof(rows[0]));
	struct arena *arena = arena_new();
	struct burst_times times;

	CHECK(burst_times_init(&times, arena, &run));
	CHECK_NEAR(burst_times(&times, &of, REGION, 0), 1, 1e-9);
	CHECK_NEAR(burst_times(&times, &of, REGION, 1), 1, 1e-9);
	CHECK_NEAR(burst_times(&times, &of, REGION, 8), 2 / 8.0, 1e-9);
	arena_free(arena);
}

/* A construct's time is also that of the tasks that are executed in it. */
TEST(burst_times__a_construct_that_executes_tasks)
{
	struct run_measurement rows[] = {
		measured(REGION, 0, MS_METRIC_TIME, 1000, 1),
		measured(SINGLE, 0, MS_METRIC_TIME, 900, 1),
		measured(TASK, 0, MS_METRIC_TASK_TIME, 800, 30),
	};
	const struct traced_burst bursts[] = { { REGION, 20 }, { SINGLE, 10 }, { TASK, 40 } };
	const struct traced_execution of = { .bursts = bursts, .nr_bursts = 3 };
	struct run run = new_run(rows, sizeof(rows) / sizeof(rows[0]));
	struct arena *arena = arena_new();
	struct burst_times times;

	CHECK(burst_times_init(&times, arena, &run));
	CHECK_NEAR(burst_times(&times, &of, SINGLE, 0), (1000 - 800) / 20.0, 1e-9);
	CHECK_NEAR(burst_times(&times, &of, TASK, 0), 800 / 40.0, 1e-9);
	arena_free(arena);
}

/* In the barrier that closes the region: the region's time is without them. */
TEST(burst_times__tasks_after_the_region)
{
	struct run_measurement rows[] = {
		measured(REGION, 0, MS_METRIC_WALL_TIME, 320, 1),
		measured(REGION, 0, MS_METRIC_TIME, 40, 1),
		measured(REGION, 1, MS_METRIC_TIME, 200, 1),
		measured(REGION, 1, MS_METRIC_START_DELAY, 5, 1),
		measured(REGION, 0, MS_METRIC_BARRIER_WAIT, 10, 1),
		measured(REGION, 1, MS_METRIC_BARRIER_WAIT, 105, 1),
		measured(TASK, 0, MS_METRIC_TASK_TIME, 300, 30),
	};
	const struct traced_burst both[] = { { REGION, 8 }, { TASK, 60 } }, one = { REGION, 8 };
	const struct traced_execution of = { .bursts = both, .nr_bursts = 2 },
				      without = { .bursts = &one, .nr_bursts = 1 };
	struct run run = new_run(rows, sizeof(rows) / sizeof(rows[0]));
	struct arena *arena = arena_new();
	struct burst_times times;

	CHECK(burst_times_init(&times, arena, &run));
	/* of 640 ns 280 are in the barrier, and 20 of the tasks' 300 in the region's time */
	CHECK_NEAR(burst_times(&times, &of, REGION, 0), (240 - 20) / 8.0, 1e-9);
	CHECK_NEAR(burst_times(&times, &of, TASK, 0), 5, 1e-9);
	/* no task was recorded */
	CHECK_NEAR(burst_times(&times, &without, TASK, 0), 0, 1e-9);
	arena_free(arena);
}
