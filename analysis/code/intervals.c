/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread executes between two barriers of a function. */
#include "analysis/code/intervals.h"

#include "analysis/base/arena.h"

bool intervals_init(struct intervals *intervals, struct arena *arena, const struct graph *graph,
		    const uint32_t *barriers, uint32_t nr)
{
	*intervals = (struct intervals){ graph, arena_alloc(arena, graph->nr_blocks + 1),
					 arena_alloc(arena, graph->nr_loops + 1) };
	if (!intervals->has_barrier || !intervals->loop_has_barrier)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t block = graph_block_of(graph, barriers[i]);

		intervals->has_barrier[block] = true;
		for (uint32_t loop = graph->blocks[block].loop; loop != GRAPH_NONE;
		     loop = graph->loops[loop].parent)
			intervals->loop_has_barrier[loop] = true;
	}
	return true;
}

static bool enter_successors(const struct graph *graph, uint32_t nr, bool *interval)
{
	const struct graph_block *block = &graph->blocks[nr];
	bool more = false;

	for (uint32_t i = 0; i < block->nr_successors; i++) {
		bool *to = &interval[graph->edges[block->first_successor + i]];

		more |= !*to;
		*to = true;
	}
	return more;
}

static void go_on(const struct intervals *intervals, bool *interval)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t b = 0; b < intervals->graph->nr_blocks; b++)
			if (interval[b] && !intervals->has_barrier[b])
				more |= enter_successors(intervals->graph, b, interval);
	}
}

const bool *interval_behind(const struct intervals *intervals, struct arena *arena,
			    uint32_t barrier)
{
	const struct graph *graph = intervals->graph;
	bool *interval = arena_alloc(arena, graph->nr_blocks + 1);

	if (!interval)
		return NULL;
	if (barrier == GRAPH_NONE)
		interval[0] = true;
	else
		enter_successors(graph, graph_block_of(graph, barrier), interval);
	go_on(intervals, interval);
	return interval;
}

const bool *interval_from_loop(const struct intervals *intervals, struct arena *arena,
			       uint32_t loop)
{
	bool *interval = arena_alloc(arena, intervals->graph->nr_blocks + 1);

	if (!interval)
		return NULL;
	interval[intervals->graph->loops[loop].header] = true;
	go_on(intervals, interval);
	return interval;
}
