/* SPDX-License-Identifier: Apache-2.0 */
/* Which accesses tell that a call was reached. */
#include "tests/unit/test.h"

#include "analysis/code/control_flow.h"
#include "ompt_tool/clones/control_equivalence.h"
#include "ompt_tool/clones/copy.h"

/*
 *   0 entry, 2 sites ─▶ 1 loop's header, 1 site ─▶ 2 call ─▶ 3, 1 site ─▶ 1
 *   │                   └─▶ 4 call in the loop, on one way only ─▶ 1
 *   └─▶ 5 call on one way only ─▶ 6 call, no way from the entry is known
 */
enum { BLOCKS = 7 };

static const uint32_t first_sites[BLOCKS + 1] = { 0, 2, 3, 3, 4, 4, 4, 4 };
static uint32_t edges[] = { 1, 5, 2, 4, 3, 1, 1 }, sources[] = { 3, 4, 0, 1, 2, 1, 0 };
static struct graph_block blocks[BLOCKS] = {
	{ .first_successor = 0, .nr_successors = 2, .dominator = GRAPH_NONE, .loop = GRAPH_NONE },
	{ .first_successor = 2,
	  .nr_successors = 2,
	  .first_predecessor = 0,
	  .nr_predecessors = 3,
	  .dominator = 0,
	  .loop = 0 },
	{ .first_successor = 4,
	  .nr_successors = 1,
	  .first_predecessor = 3,
	  .nr_predecessors = 1,
	  .dominator = 1,
	  .loop = 0 },
	{ .first_successor = 5,
	  .nr_successors = 1,
	  .first_predecessor = 4,
	  .nr_predecessors = 1,
	  .dominator = 2,
	  .loop = 0 },
	{ .first_successor = 6,
	  .nr_successors = 1,
	  .first_predecessor = 5,
	  .nr_predecessors = 1,
	  .dominator = 1,
	  .loop = 0 },
	{ .first_successor = 7,
	  .first_predecessor = 6,
	  .nr_predecessors = 1,
	  .dominator = 0,
	  .loop = GRAPH_NONE },
	{ .first_successor = 7,
	  .first_predecessor = 7,
	  .dominator = GRAPH_NONE,
	  .loop = GRAPH_NONE },
};
static const struct graph graph = {
	.blocks = blocks, .nr_blocks = BLOCKS, .edges = edges, .sources = sources
};

TEST(control_equivalence__is_what_is_executed_whenever_the_call_is_or_before_it)
{
	static const struct {
		int line;
		uint32_t block, first, nr;
	} cases[] = {
		{ __LINE__, 0, 0, 2 }, /* its own */
		{ __LINE__, 2, 3, 1 }, /* those behind it */
		/* the header's: each time it is reached they were */
		{ __LINE__, 4, 2, 1 },
		{ __LINE__, 5, 0, 2 }, /* the entry's */
		{ __LINE__, 6, 0, 4 }, /* any */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct copy_exit exit = { .block = cases[i].block };
		struct copy copy = { .exits = &exit, .nr_exits = 1 };

		control_equivalence_find(&graph, first_sites, &copy);
		if (exit.first_site != cases[i].first || exit.nr_sites != cases[i].nr)
			test_fail(__FILE__, cases[i].line, "sites %u, %u of them", exit.first_site,
				  exit.nr_sites);
	}
}

/*
 * A loop may have begun where nothing was recorded yet: what comes before it tells nothing of what
 * is in it.
 */
TEST(control_equivalence__of_a_loop_is_not_before_it)
{
	static const uint32_t sites[BLOCKS + 1] = { 0, 2, 2, 2, 2, 2, 2, 3 };
	struct copy_exit exit = { .block = 4 };
	struct copy copy = { .exits = &exit, .nr_exits = 1 };

	control_equivalence_find(&graph, sites, &copy);
	CHECK_INT(exit.first_site, 0);
	CHECK_INT(exit.nr_sites, 3);
}
