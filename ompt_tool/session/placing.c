/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules queries of the nodes of pages, from start to end. */
#include "ompt_tool/session/placing.h"

#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "ompt_tool/placement/large_pages.h"
#include "ompt_tool/placement/node_memory.h"
#include "ompt_tool/placement/page_nodes.h"
#include "ompt_tool/placement/placement_map.h"
#include "ompt_tool/process/thread.h"

#define PAGE_NS 500.0    /* expected per page before the first query */
#define PAGES_FEW 256u   /* minimum at a boundary */
#define PAGES_END 16384u /* allowed at the end regardless of the limit: some 3 ms */

/* Answers about one array. `nr`: 0 to 2; the first, and the last. */
struct answers {
	uint32_t nr;
	struct run_placement rows[2];
};

struct placing {
	struct arena *arena;
	struct run *run;
	struct page_nodes nodes;
	uint64_t last;          /* number of executions at the last query; UINT64_MAX: never */
	bool had_declarations;  /* at the last query */
	struct answers *arrays; /* by id */
	size_t nr, room;
};

struct placing *placing_new(struct arena *arena, struct run *run)
{
	struct placing *placing = arena_alloc(arena, sizeof(*placing));

	if (!placing)
		return NULL;
	*placing = (struct placing){ .arena = arena, .run = run, .last = UINT64_MAX };
	placing->nodes.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	if (run->machine.nodes < 2)
		run->placing.why = "this machine has one NUMA node";
	else
		placing->nodes.move_pages = numa_library_move_pages(&run->placing.why);
	return placing;
}

double placing_ns(const struct placing *placing)
{
	return placing->run->placing.ns;
}

/* ------------------------------------------------------------------ asking */

static bool is_possible(const struct placing *placing)
{
	return placing->nodes.move_pages && !placing->nodes.error;
}

static uint64_t pages_for(const struct placing *placing, double allowed_ns)
{
	const struct run_placing *so_far = &placing->run->placing;
	double each = so_far->asked ? so_far->ns / (double)so_far->asked : PAGE_NS;

	return allowed_ns > each ? (uint64_t)(allowed_ns / each) : 0;
}

/* A later answer replaces all but the first. False: no memory. */
static bool keep(struct placing *placing, struct run_placement *row)
{
	const struct run_placement *before;
	struct answers *of;
	uint64_t both;

	while (placing->nr <= row->array) {
		if (!ARENA_GROW(placing->arena, placing->arrays, placing->nr, placing->room))
			return false;
		placing->arrays[placing->nr++] = (struct answers){ 0 };
	}
	of = &placing->arrays[row->array];
	before = of->nr ? &of->rows[of->nr - 1] : NULL;
	row->queries = 1 + (before ? before->queries : 0);
	if (before)
		row->moves = before->moves +
			     run_placement_moved(before, row, placing->nodes.page_bytes, &both);
	of->nr += of->nr < 2;
	of->rows[of->nr - 1] = *row;
	return true;
}

static void ask(struct placing *placing, uint64_t executions, bool at_end, uint64_t most)
{
	struct run_placing *of_run = &placing->run->placing;
	struct placement_map map = { 0 };
	struct arena *scratch = at_end ? arena_new() : NULL;
	uint64_t begin_ns = thread_clock_ns();
	bool ok;

	placing->nodes.balancing = page_nodes_balancing();
	of_run->balancing |= placing->nodes.balancing;
	ok = placement_map(&placing->nodes, placing->arena, most, &map);
	ok &= node_memory_note(placing->arena, NODE_MEMORY_FOLDER, placing->run);
	if (scratch)
		large_pages_fill(scratch, placing->nodes.page_bytes, map.items, map.nr);
	for (size_t i = 0; i < map.nr; i++) {
		map.items[i].execution = executions;
		map.items[i].at_end = at_end;
		ok &= keep(placing, &map.items[i]);
	}
	if (placing->nodes.error)
		of_run->why = page_nodes_refused(placing->arena, placing->nodes.error);
	else if (!ok)
		of_run->why = "no memory to note the nodes of all pages";
	arena_free(scratch);
	of_run->page_bytes = placing->nodes.page_bytes;
	of_run->asked = placing->nodes.asked;
	of_run->ns += (double)(thread_clock_ns() - begin_ns);
}

void placing_boundary(struct placing *placing, uint64_t executions, bool has_declarations,
		      double allowed_ns)
{
	uint64_t most = pages_for(placing, allowed_ns);
	bool due = placing->last == UINT64_MAX || executions < placing->last ||
		   executions / 2 >= placing->last || has_declarations > placing->had_declarations;

	if (!due || most < PAGES_FEW || !is_possible(placing))
		return;
	placing->last = executions;
	placing->had_declarations = has_declarations;
	ask(placing, executions, false, most);
}

/* ------------------------------------------------------------------ the end */

static bool is_known(const struct run *run, const struct run_placement *row)
{
	return row->nr_stretches && row->array < run->nr_arrays;
}

void placing_harvest(struct placing *placing, uint64_t executions, double allowed_ns)
{
	struct run *run = placing->run;
	uint64_t most = pages_for(placing, allowed_ns);

	if (is_possible(placing))
		ask(placing, executions, true, most > PAGES_END ? most : PAGES_END);
	run->nr_placements = 0;
	for (size_t i = 0; i < placing->nr; i++)
		for (uint32_t k = 0; k < placing->arrays[i].nr; k++) {
			const struct run_placement *row = &placing->arrays[i].rows[k];

			if (is_known(run, row) &&
			    ARENA_GROW(placing->arena, run->placements, run->nr_placements,
				       run->room_placements))
				run->placements[run->nr_placements++] = *row;
		}
}
