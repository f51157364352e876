/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: names of phase methods; unsound indices are removed and nothing else. */
#include "analysis/record/run.h"

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

TEST(run__settle_leaves_sound_runs_alone)
{
	for (uint64_t seed = 1; seed < 50; seed++) {
		struct arena *arena = arena_new();
		struct run run, same;

		random_run(arena, seed, 30, &run);
		random_run(arena, seed, 30, &same);
		CHECK_INT(run_settle(&run), 0);
		CHECK(!run_difference(&run, &same));
		arena_free(arena);
	}
}

TEST(run__settle_removes_what_refers_to_nothing)
{
	struct run_region regions[4] = { { .id = 0, .parent = MS_REGION_NONE }, { .id = 1 }, { .id = 2, .parent = 2 }, { .id = 3 } };
	struct run_measurement measurements[3] = { { .row.region = 2 }, { .row.region = 1 }, { .row.metric = MS_METRICS } };
	struct run_missing missing[3] = { { .region = MS_REGION_NONE }, { .region = 3 }, { .metric = UINT32_MAX } };
	struct run_hotspot hotspots[2] = { { .region = 9 }, { .region = 1, .address.module = 5 } };
	struct run_node nodes[3] = { { .parent = MS_NODE_NONE }, { .id = 1, .region = 3 }, { .id = 2 } };
	struct run_array arrays[3] = { { .id = 0, .site.module = 7 }, { .id = 1 }, { .id = 1 } };
	struct run_access accesses[4] = { { .array = 2 }, { .array = RUN_ARRAY_NONE, .address.module = 7 }, { .array = 3 }, { .region = 3 } };
	struct run_sharing sharings[4] = { { .array = 2 }, { .array = 1, .region = 1 }, { .array = RUN_ARRAY_NONE }, { .region = 3 } };
	struct run_touch touches[4] = { { .array = 2 }, { .region = 3 }, { .array = 1, .region = MS_REGION_NONE }, { .leaf.module = 4 } };
	struct run run = {
		.arrays = arrays, .nr_arrays = 3, .touches = touches, .nr_touches = 4, .accesses = accesses, .nr_accesses = 4,
		.sharings = sharings, .nr_sharings = 4,
		.regions = regions, .nr_regions = 4, .measurements = measurements, .nr_measurements = 3, .missing = missing,
		.nr_missing = 3, .hotspots = hotspots, .nr_hotspots = 2, .nodes = nodes, .nr_nodes = 3, .phase.region = 3,
	};

	CHECK_INT(run_settle(&run), 2 + 2 + 2 + 1 + 2 + 1 + 2 + 3 + 3);
	CHECK_INT(run.nr_regions, 2);
	CHECK_INT(run.nr_measurements, 1);
	CHECK_INT(run.measurements[0].row.region, 1);
	CHECK_INT(run.nr_missing, 1);
	CHECK_INT(run.nr_hotspots, 1);
	CHECK_INT(run.hotspots[0].address.module, UINT32_MAX);
	CHECK_INT(run.nr_nodes, 1);
	CHECK_INT(run.phase.region, MS_REGION_NONE);
	CHECK_INT(run.nr_arrays, 2);
	CHECK_INT(run.arrays[0].site.module, UINT32_MAX);
	CHECK_INT(run.nr_accesses, 1);
	CHECK(run.accesses[0].array == RUN_ARRAY_NONE && run.accesses[0].address.module == UINT32_MAX);
	CHECK(run.nr_sharings == 1 && run.sharings[0].array == 1 && run.sharings[0].region == 1);
	CHECK_INT(run.nr_touches, 2);
	CHECK(run.touches[0].array == 1 && run.touches[1].leaf.module == UINT32_MAX);
}
