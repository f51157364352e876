/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_NAIVE_GRAPH_H
#define MEMSEARCH_TESTS_UNIT_NAIVE_GRAPH_H

/* Dominators and loops as they are defined, slow and simple, to hold those of control_flow.h against. */
#include "analysis/base/arena.h"
#include "analysis/code/control_flow.h"
#include "tests/unit/test.h"

/*
 * By definition: what can be reached from the entry, or else from landing pads, when a block is
 * taken out.
 */
struct naive {
	const struct graph *graph;
	bool *normal, *reached;
	uint32_t *list;
};

static inline void reach(struct naive *naive, uint32_t without, bool from_pads, bool *reached)
{
	const struct graph *graph = naive->graph;
	size_t nr = 0;

	memset(reached, 0, graph->nr_blocks);
	for (uint32_t i = 0; i < graph->nr_blocks; i++) {
		bool root = from_pads ? graph->blocks[i].landing_pad && !naive->normal[i] : i == 0;

		if (root && i != without) {
			reached[i] = true;
			naive->list[nr++] = i;
		}
	}
	while (nr) {
		const struct graph_block *block = &graph->blocks[naive->list[--nr]];

		for (uint32_t i = 0; i < block->nr_successors; i++) {
			uint32_t to = graph->edges[block->first_successor + i];

			if (to == without || reached[to] || (from_pads && naive->normal[to]))
				continue;
			reached[to] = true;
			naive->list[nr++] = to;
		}
	}
}

static inline struct naive naive_new(struct arena *arena, const struct graph *graph)
{
	struct naive naive = { .graph = graph };

	naive.normal = arena_alloc(arena, graph->nr_blocks);
	naive.reached = arena_alloc(arena, graph->nr_blocks);
	naive.list = arena_alloc(arena, graph->nr_blocks * sizeof(uint32_t));
	reach(&naive, GRAPH_NONE, false, naive.normal);
	return naive;
}

/* above × below */
static inline bool *all_dominators(struct arena *arena, struct naive *naive)
{
	size_t nr = naive->graph->nr_blocks;
	bool *dominates = arena_alloc(arena, nr * nr), *pads = arena_alloc(arena, nr),
	     *out = naive->reached;

	reach(naive, GRAPH_NONE, true, pads);
	for (uint32_t a = 0; a < nr; a++) {
		reach(naive, a, false, out);
		for (uint32_t b = 0; b < nr; b++)
			dominates[a * nr + b] = naive->normal[b] && !out[b] && naive->normal[a];
		reach(naive, a, true, out);
		for (uint32_t b = 0; b < nr; b++)
			if (pads[b] && !naive->normal[b])
				dominates[a * nr + b] = pads[a] && !naive->normal[a] && !out[b];
	}
	for (uint32_t b = 0; b < nr; b++)
		CHECK_INT(naive->graph->blocks[b].reachable, naive->normal[b] || pads[b]);
	return dominates;
}

/* The immediate one: the dominator that all others dominate. */
static inline uint32_t immediate(const bool *dominates, size_t nr, uint32_t b)
{
	for (uint32_t a = 0; a < nr; a++) {
		bool nearest = a != b && dominates[a * nr + b];

		for (uint32_t c = 0; nearest && c < nr; c++)
			nearest = c == b || !dominates[c * nr + b] || dominates[c * nr + a];
		if (nearest)
			return a;
	}
	return GRAPH_NONE;
}

/* The header, and all that reach a source of its back edges without passing it. */
static inline bool body(const struct graph *graph, const bool *dominates, uint32_t header,
			bool *member)
{
	size_t nr = graph->nr_blocks;
	bool any = false, grew = true;

	memset(member, 0, nr);
	for (uint32_t i = 0; i < nr; i++)
		for (uint32_t j = 0; j < graph->blocks[i].nr_successors; j++)
			if (graph->edges[graph->blocks[i].first_successor + j] == header &&
			    graph->blocks[i].reachable && dominates[header * nr + i])
				any = member[i] = true;
	for (member[header] = any; any && grew;) {
		grew = false;
		for (uint32_t i = 0; i < nr; i++)
			for (uint32_t j = 0; j < graph->blocks[i].nr_successors && !member[i] &&
					     graph->blocks[i].reachable;
			     j++) {
				uint32_t to = graph->edges[graph->blocks[i].first_successor + j];

				grew |= member[i] = member[to] && to != header;
			}
	}
	return any;
}

static inline size_t check_loops(struct arena *arena, const struct graph *graph,
				 const bool *dominates)
{
	size_t nr = graph->nr_blocks, found = 0;
	bool *member = arena_alloc(arena, nr);
	uint32_t *depth = arena_alloc(arena, nr * sizeof(*depth)),
		 *smallest = arena_alloc(arena, nr * sizeof(*smallest));

	memset(smallest, 0xff, nr * sizeof(*smallest));
	for (uint32_t header = 0; header < nr; header++) {
		uint32_t loop = GRAPH_NONE, size = 0;

		for (uint32_t i = 0; i < graph->nr_loops; i++)
			loop = graph->loops[i].header == header ? i : loop;
		if (!body(graph, dominates, header, member)) {
			CHECK_INT(loop, GRAPH_NONE);
			continue;
		}
		CHECK_THAT(loop, !=, GRAPH_NONE);
		found++;
		for (uint32_t i = 0; i < nr; i++) {
			CHECK_INT(graph_loop_has(graph, loop, i), member[i]);
			size += member[i];
			depth[i] += member[i];
		}
		CHECK_INT(graph->loops[loop].nr_blocks, size);
		for (uint32_t i = 0; i < nr; i++)
			if (member[i] && (smallest[i] == GRAPH_NONE ||
					  graph->loops[smallest[i]].nr_blocks > size))
				smallest[i] = loop;
	}
	CHECK_INT(graph->nr_loops, found);
	for (uint32_t i = 0; i < nr; i++)
		CHECK_INT(graph->blocks[i].loop, smallest[i]);
	for (uint32_t i = 0; i < graph->nr_loops; i++) {
		const struct graph_loop *loop = &graph->loops[i];

		CHECK_INT(loop->depth, depth[loop->header]);
		CHECK(loop->parent == GRAPH_NONE
			      ? loop->depth == 1
			      : loop->parent < i &&
					graph->loops[loop->parent].depth == loop->depth - 1);
		CHECK(loop->parent == GRAPH_NONE ||
		      graph_loop_has(graph, loop->parent, loop->header));
	}
	return found;
}

static inline size_t check_graph(struct arena *arena, const struct graph *graph)
{
	struct naive naive = naive_new(arena, graph);
	bool *dominates = all_dominators(arena, &naive);

	for (uint32_t b = 0; b < graph->nr_blocks; b++)
		CHECK_INT(graph->blocks[b].dominator,
			  graph->blocks[b].reachable ? immediate(dominates, graph->nr_blocks, b)
						     : GRAPH_NONE);
	return check_loops(arena, graph, dominates);
}

#endif
