/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_INTERVALS_H
#define MEMSEARCH_CODE_INTERVALS_H

#include "ompt_tool/code/graph.h"

/*
 * Barrier intervals of a function: what a thread executes from the entry, or from behind a barrier,
 * to the next barrier on whichever way.
 *
 *     entry ──▶ loop ──▶ barrier 1 ──▶ loop ──▶ barrier 2 ──┐          3 intervals: of the entry
 *                                                                      (the first loop), of barrier
 *                                                                      1
 *                 ▲                                          │          (the second loop), of
 *                                                                       barrier 2 (the first loop
 *                                                                       again)
 *                 └────────────── a loop around ◀────────────┘
 *
 * An interval is an array of bool by block of the graph: what is executed in it, the next barriers'
 * blocks included.
 */
struct intervals {
	const struct graph *graph;
	/* by block; a barrier is a call, so its block's last instruction */
	bool *has_barrier;
	bool *loop_has_barrier; /* by loop */
};

/* `barriers`: instructions that are calls. False: no memory. */
bool intervals_init(struct intervals *intervals, struct arena *arena, const struct graph *graph,
		    const uint32_t *barriers, uint32_t nr);
/* NULL: no memory. `barrier` GRAPH_NONE: of the entry. */
const bool *interval_behind(const struct intervals *intervals, struct arena *arena,
			    uint32_t barrier);
/* The same from the loop's header on. */
const bool *interval_from_loop(const struct intervals *intervals, struct arena *arena,
			       uint32_t loop);

#endif
