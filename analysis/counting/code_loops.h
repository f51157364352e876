/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_CODE_LOOPS_H
#define MEMSEARCH_COUNTING_CODE_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "analysis/trace/trace_pieces.h"

/*
 * Natural loops of a record (struct traced_loop) and the constructs that execute them: the loops
 * that are regions of kind LOOP_REGION below a construct, with their nesting:
 *
 *                                 for (t …)             no region: it contains the construct
 *     PARALLEL_REGION               #pragma omp parallel
 *       └ DO_REGION                   #pragma omp for
 *           │                         for (i …)         no region: the construct's own loop
 *           └ LOOP_REGION               for (j …)
 *               └ LOOP_REGION             for (k …)
 *
 * A loop is identified by the number of its joined loop; 0: none. A called function is numbered as
 * a loop around its loops, and is a region of kind SUB_REGION below the construct.
 */
struct code_loops {
	const struct traced_loop *loops; /* [0] is none */
	size_t nr;
	const struct traced_construct *regions;
	size_t nr_regions;
	const struct run *run; /* kinds and parents of the same regions */
};

uint32_t code_loop_joined(const struct code_loops *of, uint32_t number);
/* The number is that of a called function, which is around its loops. */
bool code_loop_is_function(const struct code_loops *of, uint32_t joined);
uint32_t code_loop_parent(const struct code_loops *of, uint32_t joined);
/* Whether the loop's code contains the construct's address. */
bool code_loop_is_around(const struct code_loops *of, uint32_t construct, uint32_t joined);
/*
 * Whether the loop may be the construct's own loop, which has no separate region: by the
 * construct's kind, and as the loop is in the outlined function.
 */
bool code_loop_may_be_own(const struct code_loops *of, uint32_t construct, uint32_t joined);

#endif
