/* SPDX-License-Identifier: Apache-2.0 */
/* What is executed between two barriers of a small function, against a walk over all its ways. */
#include "analysis/code/intervals.h"
#include "tests/unit/random_code.h"

#define NR_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

struct case_ {
	struct arena *arena;
	struct graph *graph;
	struct intervals intervals;
};

static struct case_ case_of(const struct made *rows, size_t nr, const uint32_t *barriers,
			    uint32_t nr_barriers)
{
	struct case_ case_ = { .arena = arena_new() };

	case_.graph = graph_new(case_.arena, make_code(case_.arena, rows, nr), NULL, 0);
	CHECK(case_.graph);
	CHECK(intervals_init(&case_.intervals, case_.arena, case_.graph, barriers, nr_barriers));
	return case_;
}

/* The first instructions of the blocks in an interval: bits. */
static uint64_t begins(const struct case_ *case_, const bool *interval)
{
	uint64_t bits = 0;

	CHECK(interval);
	for (size_t b = 0; b < case_->graph->nr_blocks; b++)
		bits |= (uint64_t)interval[b] << case_->graph->blocks[b].first;
	return bits;
}

/* 0: for (;;) { 1: loop 2: barrier 3: loop 4: barrier } 5: back, 6: return */
TEST(intervals__of_a_loop_around_two)
{
	static const struct made rows[] = {
		{ CODE_PLAIN, 0 },  { CODE_BRANCH, 1 }, { CODE_CALL, -50 }, { CODE_BRANCH, 3 },
		{ CODE_CALL, -50 }, { CODE_BRANCH, 1 }, { CODE_RETURN, 0 },
	};
	static const uint32_t barriers[] = { 2, 4 };
	struct case_ case_ = case_of(rows, NR_ROWS(rows), barriers, 2);

	CHECK_INT(begins(&case_, interval_behind(&case_.intervals, case_.arena, GRAPH_NONE)),
		  1 << 0 | 1 << 1 | 1 << 2);
	CHECK_INT(begins(&case_, interval_behind(&case_.intervals, case_.arena, 2)),
		  1 << 3 | 1 << 4);
	CHECK_INT(begins(&case_, interval_behind(&case_.intervals, case_.arena, 4)),
		  1 << 5 | 1 << 1 | 1 << 2 | 1 << 6);
	arena_free(case_.arena);
}

TEST(intervals__of_loops_with_barriers_inside)
{
	static const struct made rows[] = {
		{ CODE_PLAIN, 0 },  { CODE_BRANCH, 1 }, { CODE_CALL, -50 }, { CODE_BRANCH, 3 },
		{ CODE_CALL, -50 }, { CODE_BRANCH, 1 }, { CODE_RETURN, 0 },
	};
	static const uint32_t barriers[] = { 4 };
	struct case_ case_ = case_of(rows, NR_ROWS(rows), barriers, 1);
	uint32_t with = 0;

	for (uint32_t loop = 0; loop < case_.graph->nr_loops; loop++) {
		bool has = graph_loop_has(case_.graph, loop, graph_block_of(case_.graph, 4));

		CHECK_INT(case_.intervals.loop_has_barrier[loop], has);
		with += has;
	}
	CHECK_INT(with, 1);
	CHECK_INT(begins(&case_, interval_from_loop(
					 &case_.intervals, case_.arena,
					 case_.graph->blocks[graph_block_of(case_.graph, 3)].loop)),
		  1 << 3 | 1 << 4);
	arena_free(case_.arena);
}
