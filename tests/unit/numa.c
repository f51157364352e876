/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranking of `memsearch numa` from pages whose lines are known: shares, matrix, patterns, page
 * map, JSON and CSV.
 */
#include "analysis/numa/page_map.h"
#include "analysis/numa/print.h"
#include "analysis/numa/ranking.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/report/arrays.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "analysis/simulation/page_use.h"
#include "tests/unit/json_ids.h"
#include "tests/unit/modelled_run.h"

#define PAGE 4096
#define UNEW 0
#define GRID 1

static const struct machine_model model = {
	.name = "two", .cores = 4, .nodes = 2, .memory_latency = 200, .remote_latency = 300
};

/* Pages of an array, by page: the node that it is on, and the lines of nodes 0 and 1. */
struct page {
	uint32_t home;
	uint64_t lines[2];
};

static void add(struct page_uses *uses, struct arena *arena, uint32_t array,
		const struct page *pages, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		CHECK(ARENA_GROW(arena, uses->rows, uses->nr, uses->room));
		uses->rows[uses->nr++] = (struct page_use){
			0x100000 * (array + 1) + i * PAGE, i * PAGE, array, pages[i].home,
			sample_copy(arena, pages[i].lines, sizeof(pages[i].lines))
		};
	}
}

static struct page_uses none(void)
{
	return (struct page_uses){ .nodes = 2, .page_bytes = PAGE, .model = &model };
}

static const struct numa_ranking *rank(struct arena *arena, struct run *run, struct page_uses *uses)
{
	const struct numa_ranking *ranking;

	modelled_run(run, arena);
	page_uses_sort(uses);
	ranking = numa_ranking(arena, run, uses);
	CHECK(ranking != NULL);
	return ranking;
}

TEST(numa__most_remote_lines_are_first)
{
	static const struct page unew[] = { { 0, { 10, 0 } }, { 0, { 0, 30 } } },
				 grid[] = { { 1, { 50, 0 } }, { 0, { 20, 0 } } };
	struct arena *arena = arena_new();
	struct page_uses uses = none();
	const struct numa_ranking *ranking;
	struct run run;

	add(&uses, arena, UNEW, unew, 2);
	add(&uses, arena, GRID, grid, 2);
	add(&uses, arena, RUN_ARRAY_NONE, unew, 1);
	ranking = rank(arena, &run, &uses);
	CHECK_INT(ranking->nr, 2);
	CHECK_INT(ranking->lines, 120);
	CHECK_INT(ranking->remote, 80);
	CHECK_INT(ranking->arrays[0].array, GRID);
	CHECK_INT(ranking->arrays[0].lines, 70);
	CHECK_INT(ranking->arrays[0].remote, 50);
	CHECK_INT(ranking->arrays[0].matrix[1], 50); /* to node 0 of node 1 */
	CHECK_INT(ranking->arrays[0].pattern, NUMA_ONE_NODE);
	CHECK_INT(ranking->arrays[1].matrix[2], 30);      /* to node 1 of node 0 */
	CHECK_NEAR(ranking->arrays[1].stalls, 0.5, 1e-9); /* 5 of 10 million cycles */
	CHECK_NEAR(ranking->arrays[1].remote_stalls, 10e3 * 300 / 10e6, 1e-9);
	arena_free(arena);
}

static enum numa_pattern pattern(const struct page *pages, size_t nr, uint32_t array)
{
	struct arena *arena = arena_new();
	struct page_uses uses = none();
	enum numa_pattern found;
	struct run run;

	add(&uses, arena, array, pages, nr);
	found = rank(arena, &run, &uses)->arrays[0].pattern;
	arena_free(arena);
	return found;
}

/* grid is read only, unew is written by one thread. */
TEST(numa__patterns)
{
	static const struct page shared[] = { { 0, { 18, 18 } }, { 0, { 17, 19 } } };
	static const struct page parts[] = {
		{ 0, { 28, 0 } }, { 0, { 39, 1 } }, { 0, { 0, 28 } }, { 0, { 0, 28 } }
	};
	static const struct page few[] = { { 0, { 32, 0 } }, { 0, { 0, 31 } }, { 0, { 0, 1 } } };
	struct page turns[40];

	for (size_t i = 0; i < 40; i++)
		turns[i] = (struct page){ 0, { i % 2 ? 0 : 8, i % 2 ? 8 : 0 } };
	CHECK_INT(pattern(parts, 4, UNEW), NUMA_PRIVATE_BLOCKS);
	CHECK_INT(pattern(turns, 40, UNEW), NUMA_BLOCK_CYCLIC);
	CHECK_INT(pattern(shared, 2, GRID), NUMA_READ_ONLY_SHARED);
	CHECK_INT(pattern(parts, 2, UNEW), NUMA_ONE_NODE);
	CHECK_INT(pattern(few, 3, UNEW), NUMA_PRIVATE_BLOCKS);
	CHECK_INT(pattern(few, 2, UNEW), NUMA_FEW_LINES);
}

TEST(numa__pages_in_blocks)
{
	struct arena *arena = arena_new();
	struct page pages[256];
	struct page_uses uses = none();
	const struct numa_ranking *ranking;
	struct numa_map map;
	struct run run;

	for (size_t i = 0; i < 256; i++)
		pages[i] = (struct page){ i < 64 ? 1 : 0,
					  { i < 128 ? 5 : 0, i >= 192   ? 5
							     : i >= 128 ? 1
									: 0 } };
	pages[0].lines[1] = 100;
	add(&uses, arena, UNEW, pages, 256);
	ranking = rank(arena, &run, &uses);
	numa_map(ranking, &ranking->arrays[0], &map);
	CHECK_INT(map.nr, 64);
	CHECK_NEAR(map.block_pages, 4, 0);
	CHECK_INT(map.blocks[0].home, 1);
	CHECK_INT(map.blocks[0].user, NUMA_SEVERAL);
	CHECK_INT(map.blocks[1].user, 0);
	CHECK_INT(map.blocks[16].home, 0);
	CHECK_INT(map.blocks[63].user, 1);
	CHECK_INT(map.blocks[63].pages, 4);
	/* two pages with 100 that are not used between them */
	uses = none();
	add(&uses, arena, GRID, pages, 60);
	uses.rows[59].address += 100 * PAGE;
	ranking = rank(arena, &run, &uses);
	numa_map(ranking, &ranking->arrays[0], &map);
	CHECK_INT(map.nr, 64);
	CHECK_INT(map.blocks[40].user, NUMA_NOBODY);
	arena_free(arena);
}

/* unew, of four pages: two are touched first by each of two lines. */
static const struct numa_ranking *rank_touched(struct arena *arena, struct run *run,
					       struct page_uses *uses)
{
	static struct run_pages first = { 0x100000, 2 }, second = { 0x100000 + 2 * PAGE, 2 };

	modelled_run(run, arena);
	run->touches[2].source = sample_source("main", "swim.c", 22);
	run->touches[1].ranges = &first;
	run->touches[2].ranges = &second;
	run->touches[1].nr_ranges = run->touches[2].nr_ranges = 1;
	run->touches[1].every = run->touches[2].every = 1;
	page_uses_sort(uses);
	return numa_ranking(arena, run, uses);
}

/* Its regions are rows of the report, its arrays rows of `memsearch arrays`. */
static void ids_have_rows(struct arena *arena, const struct run *run, const char *numa)
{
	const struct arrays_options arrays = { .by = ARRAYS_BY_ARRAY };
	const struct json_value *report, *listed, *document;
	struct report_options options;
	struct json_ids ids = { 0 };
	struct text text;
	const char *error;

	report_options_init(&options);
	text_init(&text, arena);
	report_json(&text, &run, 1, &options);
	report = json_parse(text.bytes, &error);
	text_init(&text, arena);
	arrays_json(&text, &run, 1, &arrays);
	listed = json_parse(text.bytes, &error);
	document = json_parse(numa, &error);
	CHECK(report && listed && document);
	ids.regions = json_member(report, "regions");
	ids.arrays = json_member(json_element(json_member(listed, "runs"), 0), "arrays");
	json_check_ids(&ids, document);
	CHECK_INT(ids.nr, 3);
	for (const struct json_value *array = json_member(document, "arrays")->first; array;
	     array = array->next)
		json_must_have_id(&ids, ids.arrays, json_member(array, "id"), "array");
	CHECK_THAT(ids.nr, >, 3);
}

/* Pages that one of two lines touched first are remote: the advice names that line and its part. */
TEST(numa__sites_of_first_touch)
{
	static const struct page unew[] = {
		{ 0, { 1, 60 } }, { 0, { 1, 60 } }, { 0, { 60, 0 } }, { 0, { 60, 0 } }
	};
	struct arena *arena = arena_new();
	const struct numa_options options = { .brief = true, .ranges = true, .width = 100 };
	struct page_uses uses = none();
	const struct numa_ranking *ranking;
	const struct numa_array *of;
	struct numa_map map;
	struct text text;
	struct run run;

	add(&uses, arena, UNEW, unew, 4);
	ranking = rank_touched(arena, &run, &uses);
	of = &ranking->arrays[0];
	CHECK_INT(of->sites.nr, 2);
	CHECK_INT(of->sites.items[0].group->source->line, 354);
	CHECK_INT(of->sites.items[0].remote, 120);
	CHECK_INT(of->sites.items[0].high, 2 * PAGE);
	CHECK_INT(of->sites.items[1].remote, 0);
	numa_map(ranking, of, &map);
	CHECK_INT(map.blocks[1].site, 0);
	CHECK_INT(map.blocks[2].thread, 1);
	CHECK(numa_map_has_sites(&map) && numa_map_has_threads(&map));
	text_init(&text, arena);
	numa_text(&text, ranking, &options);
	if (!strstr(of->advice, "at swim.c:354 (0 bytes to 8 KiB of it) as in") ||
	    !strstr(text.bytes, "touched at  aabb\n") ||
	    !strstr(text.bytes, "by thread   0011\n") || !strstr(text.bytes, "; b: "))
		test_fail(__FILE__, __LINE__, "%s", text.bytes);
	text_init(&text, arena);
	numa_json(&text, ranking, &options);
	json_must_keep("analysis/report/schema/memsearch-numa-1.schema.json", text.bytes);
	if (!strstr(text.bytes, "\"first_byte\": 8192,") ||
	    !strstr(text.bytes, "\"pages_left_out\": 0"))
		test_fail(__FILE__, __LINE__, "%s", text.bytes);
	ids_have_rows(arena, &run, text.bytes);
	arena_free(arena);
}

/* The simulation does not know where system calls put pages. */
TEST(numa__pages_put_by_system_calls)
{
	static const struct page unew[] = { { 0, { 60, 0 } }, { 1, { 0, 60 } } };
	struct arena *arena = arena_new();
	struct page_uses uses = none();
	const struct numa_ranking *ranking;
	struct run run;

	add(&uses, arena, UNEW, unew, 2);
	modelled_run(&run, arena);
	page_uses_sort(&uses);
	ranking = numa_ranking(arena, &run, &uses);
	CHECK_STR(ranking->arrays[0].advice, "nothing: its pages are where they are used");
	for (size_t i = 0; i < run.nr_touches; i++)
		run.touches[i].by_kernel = run.touches[i].array == UNEW;
	ranking = numa_ranking(arena, &run, &uses);
	CHECK(!strncmp(ranking->arrays[0].advice, "not known: ", 11));
	arena_free(arena);
}

TEST(numa__json_and_csv)
{
	static const struct page unew[] = { { 0, { 20, 0 } }, { 0, { 0, 60 } } };
	struct arena *arena = arena_new();
	struct page_uses uses = none();
	const struct numa_options options = { .brief = true, .width = 100 };
	const struct numa_ranking *ranking;
	struct text text;
	struct run run;

	add(&uses, arena, UNEW, unew, 2);
	ranking = rank(arena, &run, &uses);
	text_init(&text, arena);
	numa_json(&text, ranking, &options);
	json_must_keep("analysis/report/schema/memsearch-numa-1.schema.json", text.bytes);
	CHECK(strstr(text.bytes, "\"remote_lines\": 60,") &&
	      strstr(text.bytes, "\"pattern\": \"private_blocks\"") &&
	      strstr(text.bytes, "\"used_by\": 1"));
	text_init(&text, arena);
	numa_csv(&text, ranking, &options);
	if (!strstr(text.bytes, "\n1,unew,") ||
	    !strstr(text.bytes, ",80,60,0.75,1,0.5,0.3,private_blocks,"))
		test_fail(__FILE__, __LINE__, "%s", text.bytes);
	text_init(&text, arena);
	run.modelled.nodes = 1;
	numa_text(&text, ranking, &options);
	CHECK(strstr(text.bytes, "has one NUMA node, so that nothing is remote on it"));
	arena_free(arena);
}
