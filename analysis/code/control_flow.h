/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_CONTROL_FLOW_H
#define MEMSEARCH_CODE_CONTROL_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/code/code.h"

/*
 * Control-flow graph of one function and its natural loops (Moseley, Grunwald, Connors, Ramanujam,
 * Tovinkere, Peri: loop-aware search; dominators: Lengauer, Tarjan, TOPLAS 1 (1979)). A back edge
 * leads to a block that dominates its source; a loop is the header and all that reach the back edge
 * without passing it. Loops with one header are one; cycles with several entries (irreducible) are
 * no loops and disturb none, but in graph_new_with_cycles. Targets of indirect jumps are known where
 * a jump table is understood (bounded index into a table of addresses or offsets, as compilers write
 * them); else the jump has `unknown` set and counts as a tail call. Jumps to addresses outside of the
 * function, outlined `.cold` parts included, leave it.
 *
 * Entries by the unwinder are separate: they change no dominator of normal control flow, so a loop
 * that continues after a handler inside it stays a loop, with the handler.
 */
#define GRAPH_NONE UINT32_MAX

struct graph_block {
	uint32_t first, nr;                          /* instructions */
	uint32_t first_successor, nr_successors;     /* in graph->edges */
	uint32_t first_predecessor, nr_predecessors; /* in graph->sources */
	uint32_t dominator; /* immediate; GRAPH_NONE: entry, or not reachable */
	uint32_t loop;      /* innermost; GRAPH_NONE: none */
	/* from the function's entry, landing pads of exceptions included */
	bool reachable;
	/* ends with an indirect jump whose targets are not known */
	bool unknown;
	bool landing_pad; /* the unwinder enters here */
};

struct graph_loop {
	uint32_t header; /* block */
	uint32_t parent; /* enclosing loop, or GRAPH_NONE */
	uint32_t depth;  /* 1: outermost */
	/* members, inner loops' included, in graph->members, sorted */
	uint32_t first_block, nr_blocks;
};

/* a call or tail call; its innermost loop or GRAPH_NONE */
struct graph_call {
	uint32_t instruction, loop;
};

struct graph {
	const struct code *code;
	struct graph_block *blocks; /* by address; blocks[0] is the entry */
	size_t nr_blocks;
	uint32_t *edges, *sources;
	struct graph_loop *loops; /* outer before inner, then by the header's address */
	size_t nr_loops;
	uint32_t *members;
	struct graph_call *calls;
	size_t nr_calls;
	bool complete; /* no reachable block is `unknown` */
};

/* `landing_pads`: addresses the unwinder may enter at (unwind.h), may be NULL. NULL: no memory. */
struct graph *graph_new(struct arena *arena, const struct code *code, const uintptr_t *landing_pads,
			size_t nr);

/*
 * The same without landing pads, with the outermost cycles with several entries of the function, and
 * of each natural loop, as loops: `header` is the entry at the lowest address, and dominates nothing.
 * O(blocks^2) for each level of loops.
 */
struct graph *graph_new_with_cycles(struct arena *arena, const struct code *code);

/* The block an instruction is in. O(log n). */
uint32_t graph_block_of(const struct graph *graph, uint32_t instruction);
bool graph_loop_has(const struct graph *graph, uint32_t loop, uint32_t block);

#endif
