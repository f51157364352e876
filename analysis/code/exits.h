/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_EXITS_H
#define MEMSEARCH_CODE_EXITS_H

#include "analysis/code/control_flow.h"

/*
 * Whether the number of a loop's iterations depends on the results of calls of two functions
 * (forward data flow over the graph, joined by union; Kildall, POPL 1973). A value depends on a
 * call if it was computed from the call's result in general registers, flags, and words of the
 * frame addressed by rsp or rbp; control dependence is not tracked. Dependences through other
 * memory or vector registers are missed.
 *
 *     call omp_get_num_threads     eax: EXITS_FIRST
 *     idiv %ebx                    divided by such a value: EXITS_BY_FIRST, too
 *     call omp_get_thread_num      eax: EXITS_SECOND
 *     L: … cmp %eax, %edx; jl L    the exit depends on what edx and eax depend on
 */
enum exits_of { EXITS_FIRST = 1, EXITS_SECOND = 2, EXITS_BY_FIRST = 4, EXITS_BY_SECOND = 8 };

struct loop_exits {
	/*
	 * bits of enum exits_of: dependences common to all branches that leave the loop; 0: none,
	 * or the loop is also left in other ways
	 */
	uint8_t all;
	/* dependences of any value that an instruction of the loop uses, addresses included */
	uint8_t inside;
};

struct exits_call {
	uint32_t instruction;
	uint8_t of;
}; /* EXITS_FIRST or EXITS_SECOND */

/* By loop of the graph. NULL: no memory. */
struct loop_exits *exits_find(struct arena *arena, const struct graph *graph,
			      const struct exits_call *calls, uint32_t nr_calls);

/*
 * Static loops, which divide their iterations by the number of threads (EXITS_FIRST) and the
 * thread's number (EXITS_SECOND): what a call of the function returns; 0: something else.
 */
uint8_t exits_of_call(const char *name);
/*
 * Whether the exits depend on both numbers, or iterations on the number of threads and their begin
 * on the thread's number.
 */
bool exits_divide(const struct loop_exits *exits);

#endif
