/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_CODE_LOOPS_H
#define MEMSEARCH_COUNTING_CODE_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "analysis/trace/kept.h"

/*
 * Natural loops of a record (struct kept_loop) and the constructs that execute them: which loops stand below a construct as regions of kind LOOP_REGION, nested as
 * they are:
 *
 *     PARALLEL_REGION                    for (t …)                 no region: the construct is in it
 *       └ DO_REGION                        #pragma omp for
 *           │                              for (i …)               no region: it is the construct's own loop
 *           └ LOOP_REGION                    for (j …)
 *               └ LOOP_REGION                  for (k …)
 *
 * Loops are named by the number of the joined one; 0: none. Loops of functions that are called stand below the construct.
 */
struct code_loops {
	const struct kept_loop *loops;   /* [0] is none */
	size_t nr;
	const struct kept_construct *regions;
	size_t nr_regions;
	const struct run *run;           /* kinds and parents of the same regions */
};

uint32_t code_loop_joined(const struct code_loops *of, uint32_t number);
uint32_t code_loop_parent(const struct code_loops *of, uint32_t joined);
/* Whether the construct may lie in the loop: whose code its address is in. */
bool code_loop_is_around(const struct code_loops *of, uint32_t construct, uint32_t joined);
/* Whether the loop can be all of the construct, which then has no region of its own: by its kind, and as the loop is in code that is given to the runtime for it. */
bool code_loop_may_be_own(const struct code_loops *of, uint32_t construct, uint32_t joined);

#endif
