/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_EXITS_H
#define MEMSEARCH_CODE_EXITS_H

#include "ompt_tool/code/graph.h"

/*
 * What the number of a loop's iterations depends on of the results of calls of two functions
 * (forward data flow over the graph, joined by union; Kildall, POPL 1973). A value depends on a
 * call if it was computed from the call's result in general registers, flags, and words of the
 * frame that are addressed by rsp or rbp; that a branch chooses between values is not followed.
 * What goes through other memory or vector registers is lost: less is found then.
 *
 *     call omp_get_num_threads     eax: EXITS_FIRST
 *     idiv %ebx                    by such a value: EXITS_BY_FIRST, too
 *     call omp_get_thread_num      eax: EXITS_SECOND
 *     L: … cmp %eax, %edx; jl L    the exit depends on what edx and eax do
 */
enum exits_of { EXITS_FIRST = 1, EXITS_SECOND = 2, EXITS_BY_FIRST = 4, EXITS_BY_SECOND = 8 };

struct loop_exits {
	/*
	 * of enum exits_of: each branch that leaves the loop depends on it; 0: none leaves it, or
	 * by other ways, too
	 */
	uint8_t all;
	/* some instruction of the loop uses a value that does, addresses included */
	uint8_t inside;
};

struct exits_call {
	uint32_t instruction;
	uint8_t of;
}; /* EXITS_FIRST or EXITS_SECOND */

/* By loop of the graph. NULL: no memory. */
struct loop_exits *exits_find(struct arena *arena, const struct graph *graph,
			      const struct exits_call *calls, uint32_t nr_calls);

#endif
