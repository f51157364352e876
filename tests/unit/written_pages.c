/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that a phase wrote, in all forms: JSON by its schema, CSV, and pictures with and without a
 * ranking; where nothing was watched.
 */
#include "analysis/numa/written_pages.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/numa/picture.h"
#include "analysis/numa/picture_writes.h"
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
#define ROW(id, of_state, of_thread, of_node, all, range) \
	{ .array = id, \
	  .state = of_state, \
	  .thread = of_thread, \
	  .node = of_node, \
	  .pages = all, \
	  .every = 1, \
	  .nr_ranges = 1, \
	  .ranges = range }

/* unew: half by thread 0, a quarter by thread 1, a quarter not; grid: by system calls */
static struct run_pages first[] = { { AT(0), 64 } }, second[] = { { AT(64), 32 } },
			rest[] = { { AT(96), 32 } }, filled[] = { { AT(500), 20 } };
static struct run_write rows[] = {
	ROW(UNEW, RUN_PAGES_WRITTEN, 0, 0, 64, first),
	ROW(UNEW, RUN_PAGES_WRITTEN, 1, 1, 32, second),
	ROW(UNEW, RUN_PAGES_UNWRITTEN, RUN_THREAD_UNKNOWN, RUN_PLACE_UNKNOWN, 32, rest),
	ROW(GRID, RUN_PAGES_WRITTEN, RUN_THREAD_UNKNOWN, RUN_PLACE_UNKNOWN, 20, filled),
};

static struct run run;

static const struct numa_ranking *rank(struct arena *arena)
{
	static struct page_uses none;
	const struct numa_ranking *ranking;

	modelled_run(&run, arena);
	run.machine.nodes = 2;
	run.modelled.name = NULL;
	run.writing = (struct run_writing){ .page_bytes = PAGE, .executions = 1, .watched = 148 };
	run.writes = rows;
	run.nr_writes = SAMPLE_COUNT(rows);
	ranking = numa_ranking(arena, &run, &none);
	CHECK(ranking && ranking->writes);
	return ranking;
}

static void is_in(const char *text, const char *wanted)
{
	if (!strstr(text, wanted))
		test_fail(__FILE__, __LINE__, "no '%s' in:\n%s", wanted, text);
}

static size_t times(const char *text, const char *wanted)
{
	size_t nr = 0;

	for (; (text = strstr(text, wanted)); text++)
		nr++;
	return nr;
}

/* Blocks of two pages of unew, and of one of grid. */
TEST(written_pages__json_and_csv)
{
	static const struct numa_options options = { .brief = true, .width = 200 };
	struct arena *arena = arena_new();
	const struct numa_ranking *ranking = rank(arena);
	struct text text;

	text_init(&text, arena);
	numa_json(&text, ranking, &options);
	json_must_keep("analysis/report/schema/memsearch-numa-1.schema.json", text.bytes);
	CHECK_INT(times(text.bytes, "\"written_by\": 0,"), 32);
	CHECK_INT(times(text.bytes, "\"written_by\": 1,"), 16);
	CHECK_INT(times(text.bytes, "\"written_on\": 1\n"), 16);
	CHECK_INT(times(text.bytes, "\"written_by\": null,"), 16);
	CHECK_INT(times(text.bytes, "\"written_by\": \"unknown\","), 20);
	text_init(&text, arena);
	numa_csv(&text, ranking, &options);
	is_in(text.bytes, ",written_pages,unwritten_pages,written_by_thread,written_pattern,");
	is_in(text.bytes, ",96,32,0=64 1=32,private_blocks,\n");
	is_in(text.bytes, ",20,0,,,\n");
	arena_free(arena);
}

TEST(written_pages__picture)
{
	struct numa_options options = { .brief = true };
	struct arena *arena = arena_new();
	const struct numa_ranking *ranking = rank(arena);
	struct text text;

	text_init(&text, arena);
	numa_svg(&text, ranking, &options);
	is_in(text.bytes, "no accesses were simulated"); /* in place of the ranking */
	is_in(text.bytes, "Pages written in 1 execution of the phase");
	is_in(text.bytes, "written by thread 0: 64 pages");
	is_in(text.bytes, "written by thread 1: 32 pages");
	is_in(text.bytes, "written by node 1: 32 pages");
	is_in(text.bytes, "written by an unknown thread: 20 pages");
	CHECK_INT(times(text.bytes, "not written: 32 pages"), 2);
	options.most = 1;
	text_init(&text, arena);
	numa_svg_writes(&text, ranking->writes, &options);
	CHECK_INT(times(text.bytes, ">by thread<"), 1);
	run.machine.nodes = 1;
	text_init(&text, arena);
	numa_svg_writes(&text, ranking->writes, &options);
	CHECK_INT(times(text.bytes, ">by node<"), 0);
	arena_free(arena);
}

TEST(written_pages__picture_says_why_not)
{
	static const struct numa_options options = { .brief = true };
	struct arena *arena = arena_new();
	const struct numa_ranking *ranking = rank(arena);
	struct text text;

	run.writing.why = "not permitted: userfaultfd";
	text_init(&text, arena);
	numa_svg_writes(&text, ranking->writes, &options);
	is_in(text.bytes, "Page writes are not measured: not permitted: userfaultfd");
	CHECK_INT(times(text.bytes, "by thread"), 0);
	run.writing = (struct run_writing){ .why = NULL };
	text_init(&text, arena);
	numa_svg(&text, numa_ranking(arena, &run, &(struct page_uses){ 0 }), &options);
	CHECK_INT(times(text.bytes, "Pages written"), 0);
	arena_free(arena);
}
