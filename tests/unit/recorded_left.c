/* SPDX-License-Identifier: Apache-2.0 */
/* Regions whose record lacks what takes their time. */
#include "analysis/report/recorded_left.h"

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "tests/unit/test.h"

enum { PHASE, TEAM, LOOP, REGIONS };

/*
 * A loop of 1 ms in a parallel region, in which some accesses at 0x1000 were recorded, and samples
 * were taken at `leaf`.
 */
static bool is_left(double accesses, uint64_t leaf, uint64_t samples)
{
	struct arena *arena = arena_new();
	struct run_region regions[] = {
		{ .id = PHASE, .kind = MS_USER_REGION, .parent = MS_REGION_NONE },
		{ .id = TEAM, .kind = MS_PARALLEL_REGION, .parent = PHASE },
		{ .id = LOOP, .kind = MS_DO_REGION, .parent = TEAM },
	};
	struct run_measurement rows[] = {
		{ .row = { .region = TEAM,
			   .metric = MS_METRIC_TIME,
			   .stat = { .count = 1, .sum = 1e6 } },
		  .phases = 1 },
		{ .row = { .region = LOOP,
			   .metric = MS_METRIC_READS,
			   .stat = { .count = 1, .sum = accesses } },
		  .phases = 1 },
	};
	struct run_access access = { .region = LOOP, .address = { 0, 0x1000 } };
	struct run_hotspot spot = {
		.region = LOOP, .metric = MS_METRIC_SAMPLES, .leaf = { 0, leaf }, .count = samples
	};
	struct run run = {
		.regions = regions,
		.nr_regions = REGIONS,
		.measurements = rows,
		.nr_measurements = 2,
		.accesses = &access,
		.nr_accesses = 1,
		.hotspots = &spot,
		.nr_hotspots = 1,
	};
	const bool *left = recorded_left(arena, &run);
	bool is = left[TEAM] && left[LOOP];

	CHECK(left[TEAM] == left[LOOP] && !left[PHASE]);
	arena_free(arena);
	return is;
}

/* A kernel that is called through a pointer takes the time; one that computes does not. */
TEST(recorded_left__kernels_that_were_not_recorded)
{
	CHECK(is_left(29, 0x900000, 100));
	CHECK(!is_left(29, 0x1100, 100));     /* it computes: pi */
	CHECK(!is_left(1001, 0x900000, 100)); /* as many as it may wait for */
	CHECK(!is_left(0, 0x900000, 100));    /* nothing was recorded: for another reason */
	CHECK(!is_left(29, 0x900000, 9));     /* too few samples */
}
