/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time goes: the hottest regions, with what was simulated of them. */
#include "analysis/report/hot_regions.h"

#include "analysis/report/text.h"
#include "tests/unit/modelled_run.h"

static const char *printed(struct arena *arena, const struct run *run)
{
	struct text text;

	text_init(&text, arena);
	hot_regions_text(&text, run, 200);
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
