/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_DOMINATORS_H
#define MEMSEARCH_CODE_DOMINATORS_H

#include "analysis/code/control_flow.h"

/*
 * Dominators: block A dominates block B if every path from the function's entry to B passes A. Part
 * of graph_new.
 */
struct arena;

struct dominators {
	/* by block: preorder number in the dominator tree; GRAPH_NONE: not reachable */
	uint32_t *place;
	uint32_t *nr_below; /* by block: number of blocks it dominates, including itself */
};

/*
 * Sets `reachable` and `dominator` of the graph's blocks from edges and landing pads. False: no
 * memory.
 */
bool dominators_find(struct arena *arena, struct graph *graph, struct dominators *out);

/* Whether `above` dominates `below`; both must be reachable. */
static inline bool dominators_has(const struct dominators *dominators, uint32_t above,
				  uint32_t below)
{
	return dominators->place[below] - dominators->place[above] < dominators->nr_below[above];
}

/*
 * The graph's loops, from its edges and dominators; `cycles`: those with several entries, too. False:
 * no memory.
 */
bool loops_find(struct arena *arena, struct graph *graph, const struct dominators *dominators,
		bool cycles);

#endif
