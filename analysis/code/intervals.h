/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_INTERVALS_H
#define MEMSEARCH_CODE_INTERVALS_H

#include "analysis/code/control_flow.h"

/*
 * Barrier intervals of a function: the code that a thread executes from the entry, or from a
 * barrier, to the next barrier on any path.
 *
 *     entry ──▶ loop A ──▶ barrier 1 ──▶ loop B ──▶ barrier 2 ──┐
 *                 ▲                                              │
 *                 └──────────────── a loop around ◀──────────────┘
 *
 * Three intervals: from the entry (loop A), from barrier 1 (loop B), from barrier 2 (loop A again).
 * An interval is an array of bool by block of the graph: the blocks executed in it, including those
 * of the next barriers.
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
/* The interval after `barrier`; GRAPH_NONE: from the entry. NULL: no memory. */
const bool *interval_behind(const struct intervals *intervals, struct arena *arena,
			    uint32_t barrier);
/* The same from the loop's header on. */
const bool *interval_from_loop(const struct intervals *intervals, struct arena *arena,
			       uint32_t loop);

#endif
