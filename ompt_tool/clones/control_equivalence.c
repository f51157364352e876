/* SPDX-License-Identifier: Apache-2.0 */
/* Finds accesses that show whether a call was reached. */
#include "ompt_tool/clones/control_equivalence.h"

#include "analysis/code/control_flow.h"
#include "ompt_tool/clones/copy.h"

static bool is_only_way(const struct graph *graph, uint32_t from, uint32_t to)
{
	const struct graph_block *block = &graph->blocks[from], *next = &graph->blocks[to];

	return block->nr_successors == 1 && graph->edges[block->first_successor] == to &&
	       next->nr_predecessors == 1 && !next->landing_pad;
}

static bool has_sites(const uint32_t *first_sites, uint32_t block)
{
	return first_sites[block + 1] > first_sites[block];
}

/*
 * The block, or the nearest control-equivalent one before or after it, with sites; GRAPH_NONE:
 * none. Bounded, as the blocks may form a cycle.
 */
static uint32_t equivalent_with_sites(const struct graph *graph, const uint32_t *first_sites,
				      uint32_t block)
{
	uint32_t at = block;

	for (size_t steps = 0; steps < graph->nr_blocks; steps++) {
		uint32_t before = graph->blocks[at].nr_predecessors
					  ? graph->sources[graph->blocks[at].first_predecessor]
					  : 0;

		if (has_sites(first_sites, at))
			return at;
		if (!graph->blocks[at].nr_predecessors || !is_only_way(graph, before, at))
			break;
		at = before;
	}
	for (at = block; at + 1 < graph->nr_blocks && is_only_way(graph, at, at + 1); at++)
		if (has_sites(first_sites, at + 1))
			return at + 1;
	return GRAPH_NONE;
}

/*
 * The nearest dominator in the same loop with sites: if these were not recorded, the block was not
 * reached. GRAPH_NONE: none.
 */
static uint32_t dominator_with_sites(const struct graph *graph, const uint32_t *first_sites,
				     uint32_t block)
{
	for (uint32_t at = graph->blocks[block].dominator; at != GRAPH_NONE;
	     at = graph->blocks[at].dominator)
		if (has_sites(first_sites, at) &&
		    graph->blocks[at].loop == graph->blocks[block].loop)
			return at;
	return GRAPH_NONE;
}

void control_equivalence_find(const struct graph *graph, const uint32_t *first_sites,
			      struct copy *copy)
{
	for (size_t i = 0; i < copy->nr_exits; i++) {
		struct copy_exit *exit = &copy->exits[i];
		uint32_t block = equivalent_with_sites(graph, first_sites, exit->block);

		block = block == GRAPH_NONE ? dominator_with_sites(graph, first_sites, exit->block)
					    : block;
		exit->first_site = first_sites[block == GRAPH_NONE ? 0 : block];
		exit->nr_sites = (block == GRAPH_NONE ? first_sites[graph->nr_blocks]
						      : first_sites[block + 1]) -
				 exit->first_site;
	}
}
