/* SPDX-License-Identifier: Apache-2.0 */
/* How many cache lines a loop may touch, by the sizes of arrays and the accesses to them. */
#include "analysis/simulation/reach.h"

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "tests/unit/test.h"

enum { PHASE, TEAM, LOOP, DATA_A, DATA_B, STACKS, REGIONS };

struct made {
	struct run run;
	struct run_region regions[REGIONS];
	struct run_array arrays[3];
	struct run_missing missing[1];
};

static void measure(struct made *made, struct arena *arena, uint32_t region, uint32_t thread,
		    enum ms_metric metric, double sum)
{
	struct run *run = &made->run;
	struct run_measurement row = { .row = { .region = region,
						.thread = thread,
						.metric = metric,
						.stat = { .count = 6, .sum = sum } },
				       .phases = 3,
				       .observed_ns = 3e6 };

	CHECK(ARENA_GROW(arena, run->measurements, run->nr_measurements, run->room_measurements));
	run->measurements[run->nr_measurements++] = row;
}

/* In each of three executions of the phase, two of the loop. */
static void access_array(struct made *made, struct arena *arena, uint32_t region, double reads,
			 double contiguous)
{
	for (uint32_t thread = 0; thread < 2; thread++) {
		measure(made, arena, region, thread, MS_METRIC_READS, 3 * reads / 2);
		measure(made, arena, region, thread, MS_METRIC_READ_BYTES, 3 * 8 * reads / 2);
		measure(made, arena, region, thread, MS_METRIC_CONTIGUOUS, 3 * contiguous / 2);
	}
}

static void make(struct made *made, struct arena *arena)
{
	static const uint32_t parents[REGIONS] = { MS_REGION_NONE, PHASE, TEAM, LOOP, LOOP, LOOP };
	static const enum ms_region_kind kinds[REGIONS] = { MS_USER_REGION,    MS_PARALLEL_REGION,
							    MS_DO_REGION,      MS_DATA_STRUCTURE,
							    MS_DATA_STRUCTURE, MS_DATA_STRUCTURE };

	*made = (struct made){ .run = { .phase = { .executions = 10, .wall_ns = 1e7 } } };
	for (uint32_t i = 0; i < REGIONS; i++)
		made->regions[i] = (struct run_region){ .id = i,
							.kind = kinds[i],
							.parent = parents[i],
							.construct = { UINT32_MAX, i - LOOP } };
	for (uint32_t i = 0; i < 3; i++)
		made->arrays[i] = (struct run_array){ .id = i,
						      .kind = i == 2 ? "stack" : "heap",
						      .bytes = 64000 };
	made->run.regions = made->regions;
	made->run.nr_regions = REGIONS;
	made->run.arrays = made->arrays;
	made->run.nr_arrays = 3;
	made->run.missing = made->missing;
	for (uint32_t thread = 0; thread < 2; thread++)
		measure(made, arena, LOOP, thread, MS_METRIC_READS, 1e6);
}

/* In one execution of the phase; -1: no row. */
static double reach(struct made *made, struct arena *arena)
{
	size_t before = made->run.nr_measurements;
	double lines = -1;

	CHECK(reach_add(arena, &made->run));
	for (size_t i = before; i < made->run.nr_measurements; i++) {
		CHECK_INT(made->run.measurements[i].row.metric, MS_METRIC_TOUCHED_MOST);
		CHECK_INT(made->run.measurements[i].row.region, LOOP);
		CHECK_INT(made->run.measurements[i].phases, 1);
		lines = made->run.measurements[i].row.stat.sum;
	}
	made->run.nr_measurements = before;
	return lines;
}

/* `a` once from its begin to its end, and a thousand values of `b` in any order. */
TEST(reach__no_more_than_arrays_have_and_accesses_touch)
{
	struct arena *arena = arena_new();
	struct made made;

	make(&made, arena);
	CHECK_NEAR(reach(&made, arena), -1, 0); /* of no array */
	access_array(&made, arena, DATA_A, 8000, 8000);
	access_array(&made, arena, DATA_B, 1000, 0);
	access_array(&made, arena, STACKS, 1e6, 0);
	CHECK_NEAR(reach(&made, arena), 1000 + 1000, 1e-6);
	/* a hundred times as often, in two executions of the loop */
	access_array(&made, arena, DATA_A, 8e5, 8e5);
	CHECK_NEAR(reach(&made, arena), 2 * 1001 + 1000, 1e-6);
	arena_free(arena);
}

TEST(reach__where_lines_are_not_counted)
{
	struct arena *arena = arena_new();
	struct made made;

	make(&made, arena);
	access_array(&made, arena, DATA_A, 8000, 8000);
	measure(&made, arena, LOOP, 0, MS_METRIC_TOUCHED_LINES, 3000);
	CHECK_NEAR(reach(&made, arena), 1000, 1e-6); /* of one thread only */
	measure(&made, arena, LOOP, 1, MS_METRIC_TOUCHED_LINES, 3000);
	CHECK_NEAR(reach(&made, arena), -1, 0);
	made.missing[0] = (struct run_missing){ LOOP, MS_METRIC_TOUCHED_LINES,
						MS_MISSING_UNCOVERED };
	made.run.nr_missing = 1;
	CHECK_NEAR(reach(&made, arena), 1000, 1e-6);
	made.missing[0].metric = MS_METRIC_READS; /* nor are the accesses */
	CHECK_NEAR(reach(&made, arena), -1, 0);
	arena_free(arena);
}
