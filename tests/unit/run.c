/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: names of phase methods; what a run from a file must be. */
#include "analysis/record/run.h"
#include "analysis/record/run_check.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "memsearch/host.h"
#include "memsearch/metric.h"
#include "tests/host/random_run.h"
#include "tests/unit/test.h"

TEST(run__phase_methods_have_names)
{
	CHECK_STR(phase_method_name(PHASE_CONTROL_TOOL), "control_tool");
	CHECK_STR(phase_method_name(PHASE_WHOLE_PROGRAM), "whole_program");
	CHECK_STR(phase_method_text(PHASE_SEQUENCE), "found: a repeating sequence of regions");
	CHECK_STR(phase_method_name(PHASE_METHODS), "unknown");
	CHECK_STR(phase_method_text(77), "unknown");
}

TEST(run__check_leaves_sound_runs_alone)
{
	for (uint64_t seed = 1; seed < 50; seed++) {
		struct arena *arena = arena_new();
		struct run_fault fault;
		struct run run, same;
		size_t removed;

		random_run(arena, seed, 30, &run);
		random_run(arena, seed, 30, &same);
		CHECK(run_check(&run, &removed, &fault) && !removed);
		CHECK(!run_difference(&run, &same));
		arena_free(arena);
	}
}

static struct run_region regions[3];
static struct run_measurement measurements[2];
static struct run_node nodes[2];
static struct run_array arrays[2];
static struct run_access accesses[1];
static struct run_touch touches[1];
static struct run_hotspot hotspots[1];
static struct run_placement placements[1];
static struct run_stretch stretches[2];
static struct run run;

/* A small run in which everything is as it must be. */
static void make_run(void)
{
	memset(regions, 0, sizeof(regions));
	memset(measurements, 0, sizeof(measurements));
	memset(nodes, 0, sizeof(nodes));
	memset(arrays, 0, sizeof(arrays));
	memset(accesses, 0, sizeof(accesses));
	memset(touches, 0, sizeof(touches));
	memset(hotspots, 0, sizeof(hotspots));
	placements[0] = (struct run_placement){ .every = 1,
						.nr_stretches = 2,
						.stretches = stretches };
	stretches[0] = (struct run_stretch){ 4096, 2, 0 };
	stretches[1] = (struct run_stretch){ 3 * 4096, 1, RUN_NODE_UNTOUCHED };
	for (uint32_t i = 0; i < 3; i++)
		regions[i].id = i;
	regions[0].parent = MS_REGION_NONE;
	nodes[0].parent = MS_NODE_NONE;
	nodes[1].id = arrays[1].id = 1;
	run = (struct run){
		.complete = true,
		.regions = regions,
		.nr_regions = 3,
		.measurements = measurements,
		.nr_measurements = 2,
		.nodes = nodes,
		.nr_nodes = 2,
		.arrays = arrays,
		.nr_arrays = 2,
		.accesses = accesses,
		.nr_accesses = 1,
		.touches = touches,
		.nr_touches = 1,
		.hotspots = hotspots,
		.nr_hotspots = 1,
		.placements = placements,
		.nr_placements = 1,
		.placing.page_bytes = 4096,
		.phase.region = MS_REGION_NONE,
	};
}

static void check_fault(int line, const char *where, const char *why)
{
	struct run_fault fault = { "", "" };
	size_t removed;

	if (run_check(&run, &removed, &fault) || strcmp(fault.where, where) ||
	    strcmp(fault.why, why))
		test_fail(__FILE__, line, "'%s' '%s'", fault.where, fault.why);
	make_run();
}

TEST(run__check_names_what_is_invalid)
{
	struct source callers[2] = { { .line = 1 }, { .line = -1 } };

	make_run();
	regions[2].parent = 2;
	check_fault(__LINE__, "regions[2].parent", "is 2, not an earlier row");
	regions[1].parent = MS_REGION_NONE;
	check_fault(__LINE__, "regions[1].parent", "is 4294967295, not an earlier row");
	regions[1].id = 2;
	check_fault(__LINE__, "regions[1].id", "is 2, not the number of its row");
	regions[1].construct.module = 5;
	check_fault(__LINE__, "regions[1].construct.module", "is 5, but there are 0 rows");
	regions[1].kind = MS_DATA_STRUCTURE;
	regions[1].construct.offset = 3;
	check_fault(__LINE__, "regions[1]", "is of array 2, but there are 2");
	regions[1].source.line = -7;
	check_fault(__LINE__, "regions[1].source.line", "is -7, below 0");
	measurements[1].row.region = 3;
	check_fault(__LINE__, "measurements[1].region", "is 3, but there are 3 rows");
	measurements[1].row.stat.sum = NAN;
	check_fault(__LINE__, "measurements[1].sum", "is not a finite number");
	measurements[0].observed_ns = -1;
	check_fault(__LINE__, "measurements[0].observed_ns", "is -1, below 0");
	nodes[0].parent = 1;
	check_fault(__LINE__, "nodes[0].parent", "is 1, not an earlier row");
	nodes[1].region = MS_REGION_NONE;
	check_fault(__LINE__, "nodes[1].region", "is 4294967295, but there are 3 rows");
	arrays[0].callers = callers;
	arrays[0].nr_callers = 2;
	check_fault(__LINE__, "arrays[0].callers[1].line", "is -1, below 0");
	accesses[0].array = 2;
	check_fault(__LINE__, "accesses[0].array", "is 2, but there are 2 rows");
	accesses[0].loop = 9;
	check_fault(__LINE__, "accesses[0].loop", "is 9, but there are 3 rows");
	touches[0].array = RUN_ARRAY_NONE;
	check_fault(__LINE__, "touches[0].array", "is 4294967295, but there are 2 rows");
	hotspots[0].share = INFINITY;
	check_fault(__LINE__, "hotspots[0].share", "is not a finite number");
	placements[0].array = 2;
	check_fault(__LINE__, "placements[0].array", "is 2, but there are 2 rows");
	placements[0].every = 0;
	check_fault(__LINE__, "placements[0]", "has no page size, or no sampling");
	run.placing.page_bytes = 0;
	check_fault(__LINE__, "placements[0]", "has no page size, or no sampling");
	stretches[1].node = RUN_NODES_MOST;
	check_fault(__LINE__, "placements[0].stretches[1]",
		    "is on node 1024, which Linux cannot have");
	stretches[1].address = 2 * 4096;
	check_fault(__LINE__, "placements[0].stretches[1]",
		    "is empty, or not behind the one before");
	stretches[0].pages = 0;
	check_fault(__LINE__, "placements[0].stretches[0]",
		    "is empty, or not behind the one before");
	stretches[1].pages = UINT64_MAX / 4096;
	check_fault(__LINE__, "placements[0].stretches[1]",
		    "is empty, or not behind the one before");
	run.cost.tool_cpu_ns = -2;
	check_fault(__LINE__, "run.tool_cpu_ns", "is -2, below 0");
	run.phase.region = 3;
	check_fault(__LINE__, "run.phase_region", "is 3, but there are 3 rows");
}

TEST(run__check_fills_in_and_weeds)
{
	struct run_fault fault;
	size_t removed;

	make_run();
	measurements[0].row.metric = UINT32_MAX; /* of a later version */
	measurements[1].row.region = 2;
	accesses[0].array = RUN_ARRAY_NONE;
	accesses[0].source.file = "left.c";
	touches[0].source.function = "f";
	CHECK(run_check(&run, &removed, &fault));
	CHECK_INT(removed, 1);
	CHECK_INT(run.nr_measurements, 1);
	CHECK_INT(measurements[0].row.region, 2);
	CHECK_STR(regions[1].source.file, "");
	CHECK_STR(arrays[0].name, "");
	CHECK_STR(nodes[0].property, "");
	CHECK(!nodes[0].title && !accesses[0].source.file && !accesses[0].source.function);
	CHECK_STR(touches[0].source.file, "");
	/* was never set, and there are no modules */
	CHECK_INT(touches[0].address.module, UINT32_MAX);
}

/* The head is written before the regions, and they before the arrays. */
TEST(run__check_mends_what_a_cut_leaves)
{
	struct run_fault fault;
	size_t removed;

	make_run();
	run.complete = false;
	run.phase.region = 3;
	run.nr_arrays = run.nr_touches = run.nr_accesses = run.nr_placements = 0;
	regions[1].kind = MS_DATA_STRUCTURE;
	regions[1].construct.offset = 1;
	CHECK(run_check(&run, &removed, &fault));
	CHECK_INT(run.phase.region, MS_REGION_NONE);
	CHECK_INT(run_region_array(&regions[1]), UINT32_MAX);
}

TEST(run__check_bounds_nesting)
{
	static struct run_node chain[300];
	struct run_fault fault;
	size_t removed;

	make_run();
	for (uint32_t i = 0; i < 300; i++)
		chain[i] = (struct run_node){ .id = i, .parent = i - 1 };
	run.nodes = chain;
	run.nr_nodes = 201;
	CHECK(run_check(&run, &removed, &fault));
	run.nr_nodes = 300;
	check_fault(__LINE__, "nodes[201]", "is nested more than 200 deep");
}

/* The phase, a parallel region in it with a loop, and one whose parent is not in the run. */
TEST(run__the_outermost_region)
{
	struct run_region of[] = { { .id = 0, .parent = MS_REGION_NONE },
				   { .id = 1, .parent = MS_REGION_USER },
				   { .id = 2, .parent = 1 },
				   { .id = 3, .parent = 7 } };
	const struct run nested = { .regions = of, .nr_regions = 4 };

	CHECK_INT(run_outermost(&nested, 0), 0);
	CHECK_INT(run_outermost(&nested, 1), 1);
	CHECK_INT(run_outermost(&nested, 2), 1);
	CHECK_INT(run_outermost(&nested, 3), 3);
	CHECK_INT(run_outermost(&nested, MS_REGION_NONE), MS_REGION_NONE);
}
