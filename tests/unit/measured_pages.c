/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages as the kernel had them: shares by node, error of sampling, moved pages, imbalance, map; text,
 * JSON by its schema, and CSV, also where nothing was simulated.
 */
#include "analysis/numa/measured_pages.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/numa/measured_map.h"
#include "analysis/numa/page_map.h"
#include "analysis/numa/print.h"
#include "analysis/numa/ranking.h"
#include "analysis/report/text.h"
#include "analysis/simulation/page_use.h"
#include "tests/unit/json_value.h"
#include "tests/unit/modelled_run.h"

#define PAGE 4096
#define UNEW 0
#define GRID 1
#define AT(number) (0x100000 + (uint64_t)(number) * PAGE)

static struct run_stretch first[] = { { AT(0), 60, 0 }, { AT(60), 40, 1 } },
			  last[] = { { AT(0), 20, 0 },
				     { AT(20), 60, 1 },
				     { AT(80), 10, RUN_NODE_UNTOUCHED },
				     { AT(90), 10, RUN_NODE_UNKNOWN } },
			  large[] = { { AT(1000), 6350, 0 }, { AT(7350), 50, 1 } };
static struct run_placement placements[] = {
	{ .array = UNEW,
	  .execution = 2,
	  .every = 1,
	  .asked = 100,
	  .huge_bytes = RUN_HUGE_UNKNOWN,
	  .nr_stretches = 2,
	  .stretches = first },
	{ .array = UNEW,
	  .execution = 9,
	  .at_end = true,
	  .every = 1,
	  .asked = 100,
	  .huge_bytes = 40 * PAGE,
	  .nr_stretches = 4,
	  .stretches = last },
	{ .array = GRID,
	  .execution = 2,
	  .every = 16,
	  .asked = 400,
	  .huge_bytes = RUN_HUGE_UNKNOWN,
	  .nr_stretches = 2,
	  .stretches = large },
};

static struct run run;
static struct run_node_memory memory[] = { { 0, 64ull << 30, 1ull << 30 },
					   { 1, 64ull << 30, 32ull << 30 } };

static const struct numa_measured *measure(struct arena *arena)
{
	const struct numa_measured *measured;

	modelled_run(&run, arena);
	run.machine.nodes = 2;
	run.modelled.name = NULL;
	run.placing = (struct run_placing){ .page_bytes = PAGE, .asked = 600, .ns = 3e6 };
	run.placements = placements;
	run.nr_placements = SAMPLE_COUNT(placements);
	run.node_memory = memory;
	run.nr_node_memory = SAMPLE_COUNT(memory);
	measured = numa_measured(arena, &run);
	CHECK(measured != NULL);
	return measured;
}

TEST(measured_pages__pages_by_node)
{
	struct arena *arena = arena_new();
	const struct numa_measured *measured = measure(arena);
	const struct numa_measured_array *grid = &measured->arrays[0], *unew = &measured->arrays[1];

	CHECK_INT(measured->nr, 2);
	CHECK_INT(grid->array, GRID); /* has most pages */
	CHECK_INT(grid->pages, 6400);
	CHECK_NEAR(grid->most_share, 6350.0 / 6400, 1e-9);
	CHECK_NEAR(grid->error, 1.96 * 0.5 / 20 * sqrt(1 - 400.0 / 6400), 1e-9);
	CHECK(isnan(grid->moved) && isnan(grid->huge) && !grid->first);
	CHECK_INT(unew->array, UNEW);
	CHECK_INT(unew->placed, 80);
	CHECK_INT(unew->nodes[0], 20);
	CHECK_INT(unew->nodes[1], 60);
	CHECK_INT(unew->untouched, 10);
	CHECK_INT(unew->unknown, 10);
	CHECK_NEAR(unew->error, 0, 0);
	CHECK_NEAR(unew->moved, 0.5, 1e-9); /* 20 to 59 of the 80 known both times */
	CHECK_NEAR(unew->huge, 0.5, 1e-9);
	CHECK_INT(measured->placed, 6480);
	CHECK_NEAR(measured->imbalance, 6370.0 / 3240 - 1, 1e-9);
	arena_free(arena);
}

TEST(measured_pages__map)
{
	struct arena *arena = arena_new();
	const struct numa_measured *measured = measure(arena);
	struct numa_map map;

	numa_measured_map(measured, &measured->arrays[1], &map);
	CHECK_INT(map.nr, 64);
	CHECK_INT(map.blocks[0].home, 0);
	CHECK_INT(map.blocks[12].home, 0); /* pages 18 and 19 */
	CHECK_INT(map.blocks[20].home, 1);
	CHECK_INT(map.blocks[54].home, NUMA_NOBODY);
	CHECK_INT(map.blocks[63].home, NUMA_UNKNOWN);
	numa_measured_map(measured, &measured->arrays[0], &map);
	CHECK_INT(map.blocks[62].home, 0);
	CHECK_INT(map.blocks[63].home, NUMA_SEVERAL);
	arena_free(arena);
}

static void is_in(const char *text, const char *wanted)
{
	if (!strstr(text, wanted))
		test_fail(__FILE__, __LINE__, "no '%s' in:\n%s", wanted, text);
}

TEST(measured_pages__text_json_and_csv)
{
	static const struct numa_options options = { .brief = true, .width = 200 };
	struct arena *arena = arena_new();
	struct page_uses none = { 0 };
	const struct numa_ranking *ranking;
	struct text text;

	measure(arena);
	ranking = numa_ranking(arena, &run, &none);
	CHECK(ranking && ranking->measured);
	text_init(&text, arena);
	numa_text(&text, ranking, &options);
	is_in(text.bytes, "on the machine it ran on, 2 NUMA nodes\n");
	is_in(text.bytes, "node 0 25 %, node 1 75 %\n");
	is_in(text.bytes, "not placed  10 % never written; 10 % unknown\n");
	is_in(text.bytes, "moved       50 % on another node than after execution 2\n");
	is_in(text.bytes,
	      "1 page in 16 (shares within 4.7 points), after execution 2: it was freed later\n");
	is_in(text.bytes, "imbalance 0.97 (0: balanced, 1: all on one node)");
	is_in(text.bytes, "no accesses were simulated");
	is_in(text.bytes, "at least: node 0 1 GiB (1.6 %), node 1 32 GiB (50 %).");
	CHECK(!strstr(text.bytes, "moves"));
	text_init(&text, arena);
	numa_json(&text, ranking, &options);
	json_must_keep("analysis/report/schema/memsearch-numa-1.schema.json", text.bytes);
	is_in(text.bytes, "\"on\": \"unknown\"");
	is_in(text.bytes, "\"imbalance\": 0.96");
	is_in(text.bytes, "\"free_bytes\": 1073741824");
	text_init(&text, arena);
	numa_csv(&text, ranking, &options);
	is_in(text.bytes, ",6400,0,0,0,0=6350 1=50,");
	is_in(text.bytes, ",100,10,0,10,0=20 1=60,");
	arena_free(arena);
}

TEST(measured_pages__says_why_not)
{
	static const struct numa_options options = { .brief = true, .width = 200 };
	struct arena *arena = arena_new();
	struct page_uses none = { 0 };
	struct text text;

	measure(arena);
	run.nr_placements = 0;
	run.placing = (struct run_placing){ .why = "move_pages: not permitted" };
	text_init(&text, arena);
	numa_text(&text, numa_ranking(arena, &run, &none), &options);
	is_in(text.bytes, "Nodes of pages were not asked for: move_pages: not permitted.\n");
	run.placing.why = NULL; /* a record of an earlier version */
	text_init(&text, arena);
	numa_text(&text, numa_ranking(arena, &run, &none), &options);
	CHECK(!strstr(text.bytes, "it ran on"));
	arena_free(arena);
}

/* Brought to its user once it has moved 0.4 times a page; more is going back and forth. */
TEST(measured_pages__that_go_back_and_forth)
{
	static const struct numa_options options = { .width = 100 };
	struct arena *arena = arena_new();
	struct page_uses none = { 0 };
	struct text text;

	placements[1].queries = 5;
	placements[1].moves = 40;
	measure(arena);
	text_init(&text, arena);
	numa_text(&text, numa_ranking(arena, &run, &none), &options);
	CHECK(!strstr(text.bytes, "back and forth"));
	placements[1].moves = 160;
	text_init(&text, arena);
	numa_text(&text, numa_ranking(arena, &run, &none), &options);
	is_in(text.bytes,
	      "moves       2.0 times a page, seen in 5 queries: pages go back and forth between nodes\n");
	text_init(&text, arena);
	numa_json(&text, numa_ranking(arena, &run, &none), &options);
	is_in(text.bytes, "\"moves_per_page\": 2");
	json_must_keep("analysis/report/schema/memsearch-numa-1.schema.json", text.bytes);
}
