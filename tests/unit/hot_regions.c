/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time goes: the hottest regions, with what was simulated of them. */
#include "analysis/report/hot_regions.h"

#include "analysis/report/text.h"
#include "tests/unit/modelled_run.h"

static const char *printed(struct arena *arena, const struct run *run)
{
	struct text text;

	text_init(&text, arena);
	hot_regions_text(&text, run, 5, 200);
	return text.bytes ? text.bytes : "";
}

#define LOOP 2 /* all of the parallel region */

/* Both threads' 500 thousand; 180 miss L1, 65 L3; 79 lines come from memory, 10 go there. */
TEST(hot_regions__with_accesses_misses_and_bytes)
{
	struct arena *arena = arena_new();
	struct run run;

	modelled_run(&run, arena);
	CHECK_STR(
		printed(arena, &run),
		"Where the time goes:\n"
		"      5.0 %  loop in calc2 (swim.c:354): 500 k accesses, of which 36 % miss L1 and 13 % L3; "
		"5.43 MiB from and to memory\n");
	arena_free(arena);
}

/* gcc's static loops: the trace knows the parallel region alone. */
TEST(hot_regions__accesses_of_the_region_that_a_loop_is)
{
	struct arena *arena = arena_new();
	struct run run;

	modelled_run(&run, arena);
	for (size_t i = 0; i < run.nr_measurements; i++)
		if (run.measurements[i].row.region >= LOOP &&
		    ms_metric_info(run.measurements[i].row.metric)->sensor == MS_SENSOR_SIMULATED)
			run.measurements[i].row.region = 1;
	CHECK_HAS(printed(arena, &run), "loop in calc2 (swim.c:354): ");
	CHECK_HAS(printed(arena, &run), " accesses, of which ");
	arena_free(arena);
}

TEST(hot_regions__without_a_simulation_share_and_place)
{
	struct arena *arena = arena_new();
	const char *text;
	struct run run;

	sample_run(&run, arena);
	text = printed(arena, &run);
	CHECK_HAS(text, "Where the time goes:\n");
	CHECK_HAS_NOT(text, "accesses");
	arena_free(arena);
}

static const char *outside(struct arena *arena, const struct run *run)
{
	struct text text;

	text_init(&text, arena);
	outside_text(&text, run, 200);
	return text.bytes ? text.bytes : "";
}

TEST(hot_regions__what_the_shares_leave_out)
{
	struct arena *arena = arena_new();
	struct run run = { .phase = {
				   .method = PHASE_SEQUENCE, .executions = 10, .wall_ns = 1e9 } };

	run.cost.program_wall_ns = 2e9;
	CHECK_STR(outside(arena, &run), ""); /* of an older version: not known */
	run.cost.before_ns = 3e9;
	CHECK_STR(outside(arena, &run),
		  "Outside of these steps: 80 % of the run's 5 s (60 % before the first OpenMP "
		  "construct, 20 % between it and the steps or after them).\n");
	run.phase.method = PHASE_WHOLE_PROGRAM;
	CHECK_STR(
		outside(arena, &run),
		"In none of these shares: 60 % of the run's 5 s, before the first OpenMP construct.\n");
	run.cost.before_ns = 0.5e9; /* a fifth */
	CHECK_STR(outside(arena, &run), "");
	arena_free(arena);
}

TEST(hot_regions__other_phases)
{
	struct arena *arena = arena_new();
	struct run_phase_found phases[] = {
		{ .number = 1, .region = MS_REGION_NONE, .executions = 20, .wall_ns = 1e9 },
		{ .number = 2,
		  .region = MS_REGION_NONE,
		  .executions = 10,
		  .wall_ns = 1e9,
		  .here = true },
		{ .number = 3, .region = MS_REGION_NONE, .executions = 4, .wall_ns = 2e9 },
	};
	struct run run = { .phase = { .method = PHASE_SEQUENCE, .executions = 10, .wall_ns = 1e9 },
			   .phases = phases,
			   .nr_phases = 3 };

	run.cost.before_ns = 1e9;
	run.cost.program_wall_ns = 4e9;
	CHECK_STR(
		outside(arena, &run),
		"Before these steps: 20 other steps of 50 ms, 20 % of the run: memsearch report --phase 1.\n"
		"After these steps: 4 other steps of 500 ms, 40 % of the run: memsearch report --phase 3.\n");
	run.cost.program_wall_ns = 14e9;
	CHECK_HAS(outside(arena, &run), "Outside of all steps: 73 % of the run's 15 s (");
	run.phase.method = PHASE_WHOLE_PROGRAM;
	run.nr_phases = 1;
	CHECK_HAS(outside(arena, &run), "Part of it: 20 other steps of 50 ms");
	arena_free(arena);
}

static uint32_t serial_region(struct run *run, struct arena *arena, const char *function)
{
	struct run_region *regions = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*regions));

	memcpy(regions, run->regions, run->nr_regions * sizeof(*regions));
	regions[run->nr_regions] = (struct run_region){
		.id = (uint32_t)run->nr_regions,
		.kind = MS_SERIAL_REGION,
		.source = { .function = function, .file = "mg.cpp", .line = 1277 },
	};
	run->regions = regions;
	return (uint32_t)run->nr_regions++;
}

/* They have no times, but samples. */
TEST(hot_regions__the_hottest_region_outside_of_the_phase)
{
	struct arena *arena = arena_new();
	struct run_hotspot spots[] = {
		{ .region = LOOP, .metric = MS_METRIC_SAMPLES, .count = 900, .share = 1 },
		{ .metric = MS_METRIC_SAMPLES,
		  .count = 80,
		  .share = 1,
		  .source = { .function = "vranlc", .file = "c_randdp.cpp", .line = 167 } },
		{ .metric = MS_METRIC_SAMPLES, .count = 20, .share = 1 },
		{ .metric = MS_METRIC_FAULT_SAMPLES, .count = 9000, .share = 1 },
	};
	struct run run;

	modelled_run(&run, arena);
	run.cost.before_ns = 1;
	run.cost.program_wall_ns = 4e9;
	run.phase.wall_ns = 1e9;
	run.hotspots = spots;
	run.nr_hotspots = sizeof(spots) / sizeof(spots[0]);
	CHECK_HAS_NOT(outside(arena, &run), "other regions");
	spots[1].region = spots[3].region = serial_region(&run, arena, "zran3");
	spots[2].region = serial_region(&run, arena, "init");
	CHECK_HAS(outside(arena, &run), " 80 % of the other regions' CPU time: ");
	CHECK_HAS(outside(arena, &run), "zran3");
	CHECK_HAS(
		outside(arena, &run),
		", 100 % of it in vranlc (c_randdp.cpp:167). What matters there is measured if its repetitions are marked (memsearch/phase.h).\n");
	CHECK_HAS_NOT(outside(arena, &run), "not followed");
	run.phase.before_ns = 2e9;
	CHECK_HAS(
		outside(arena, &run),
		"2 s of the steps, 50 % of the run, were not followed: they are taken to be like the"
		" others.\n");
	run.phase.before_ns = 0;
	spots[1].count = 20; /* too few to tell */
	CHECK_HAS_NOT(outside(arena, &run), "other regions");
	arena_free(arena);
}

/* A solver that a loop calls has most of its samples. */
TEST(hot_regions__functions_that_a_region_calls)
{
	struct arena *arena = arena_new();
	struct run_hotspot spots[] = {
		{ .region = LOOP,
		  .metric = MS_METRIC_SAMPLES,
		  .share = 0.3,
		  .source = { .function = "calc2", .file = "swim.c", .line = 357 } },
		{ .region = LOOP,
		  .metric = MS_METRIC_SAMPLES,
		  .share = 0.25,
		  .source = { .function = "solve", .file = "cg.c", .line = 580 } },
		{ .region = 1,
		  .metric = MS_METRIC_SAMPLES,
		  .share = 0.2,
		  .source = { .function = "solve", .file = "cg.c", .line = 580 } },
		{ .region = LOOP,
		  .metric = MS_METRIC_SAMPLES,
		  .share = 0.15,
		  .source = { .function = "solve", .file = "cg.c", .line = 590 } },
	};
	struct run run;

	modelled_run(&run, arena);
	run.hotspots = spots;
	run.nr_hotspots = sizeof(spots) / sizeof(spots[0]);
	CHECK_HAS(printed(arena, &run),
		  "loop in calc2 (swim.c:354), 40 % of it in solve (cg.c:580): 500 k accesses");
	run.nr_hotspots = 1;
	CHECK_HAS_NOT(printed(arena, &run), " of it in ");
	arena_free(arena);
}
