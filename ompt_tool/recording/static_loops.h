/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_STATIC_LOOPS_H
#define MEMSEARCH_RECORDING_STATIC_LOOPS_H

#include "ompt_tool/regions/region_table.h"

/*
 * gcc compiles static loops inline: the runtime sees the parallel region and its barriers only.
 * Where the machine code between two of these (intervals.h) is one loop that the threads
 * divide and nothing else, the loop is a DO_REGION below the region. Its address is the return
 * address of the barrier before it; of what the region begins with, behind the call of
 * omp_get_num_threads, on the pragma's line:
 *
 *     call omp_get_num_threads      outside of loops; compilers join the calls of all loops of the
 *                                   region
 *     call omp_get_thread_num
 *     …                             no other call but GOMP_atomic_*; no indirect jump that is not
 *                                   understood
 *     one outermost natural loop    any nest, any calls; its exits depend on the results of both
 *                                   calls, or on a division by the number of
 *                                   threads, and what is inside on the thread's own (exits.h)
 *     or several alternatives       of which a thread executes one: gcc moves a condition out of
 *                                   the loop
 *     add, cmp, jne …               a loop that only counts, and may read its bound from the stack:
 *                                   it is left where the loop inside has no iterations
 *     lock cmpxchg …                a loop of one or two blocks with a locked instruction: what a
 *                                   reduction adds up
 *     call GOMP_barrier             or the region's end. A loop around with barriers inside is none
 *                                   of these: `for (step …) { omp for … omp for … }`
 *
 * Behind the last barrier of a loop around comes its first loop again, or what follows it. At the
 * next barrier it is known which it was (region_loop_may_end). Else that stays part of the region:
 * loops that every thread executes as a whole, and several loops one after the other without a
 * barrier. Loops that a program divides by hand with the same two calls look alike, and so do two
 * in the branches of an `if` whose bounds gcc computes once.
 */

/*
 * Examines all regions that were noted and have no regions below them except constructs in the same
 * function. The initial thread at a phase boundary, or in serial code.
 */
void static_loops_find(struct region_table *regions);

#endif
