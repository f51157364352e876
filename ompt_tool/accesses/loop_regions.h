/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_LOOP_REGIONS_H
#define MEMSEARCH_ACCESSES_LOOP_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Natural loops of recorded code as regions of kind LOOP_REGION, below the construct that executes
 * them, nested like the loops:
 *
 *     PARALLEL_REGION                   for (t …)              no region: around the construct
 *       └ DO_REGION                       #pragma omp for
 *           │                             for (i …)            no region: the construct's own loop
 *           └ LOOP_REGION                   for (j …)
 *               └ LOOP_REGION                 for (k …)
 *
 * A loop's address is that of its header. Loop numbers are `joined` numbers of clone_loops.h, 0:
 * none. A called function is a region of kind SUB_REGION directly below the construct, around its
 * loops, whatever calls it there:
 *
 *     DO_REGION                         for (i …) { f(i); g(i); }
 *       ├ SUB_REGION                      f
 *       │   └ LOOP_REGION                   its loops
 *       └ SUB_REGION                      g
 *
 * The functions that contain the construct or the calls that lead to it are no regions of it. Any
 * thread, callbacks allowed.
 */
struct region_table;

/* region->own_loop: no loop makes up the whole construct */
#define LOOP_OWN_NONE UINT32_MAX

/* The number under which the loop is counted; 0: none, or not known yet. */
uint32_t loop_joined(uint32_t number);
uint32_t loop_parent(uint32_t joined);
/* Whether the construct may lie in the loop, judged by the code that contains its address. */
bool loop_is_around(struct region_table *regions, uint32_t construct, uint32_t joined);
/*
 * The loop's region below the construct, which is created if necessary. MS_REGION_NONE: it has
 * none.
 */
uint32_t loop_region(struct region_table *regions, uint32_t construct, uint32_t joined);
/* The region of the innermost loop that has one, from `joined` outwards; else the construct. */
uint32_t loop_region_around(struct region_table *regions, uint32_t construct, uint32_t joined);
/* The number is that of a function. */
bool loop_is_function(uint32_t joined);
/*
 * Whether the function at [start, end) is called in the construct, not its body or what contains it.
 */
bool loop_function_is_called(struct region_table *regions, uint32_t construct, uint64_t start,
			     uint64_t end);
/*
 * Whether the loop may be the construct's own loop, which needs no region: by the construct's kind,
 * and if the loop is in code that the program passes to the runtime for it.
 */
bool loop_may_be_own(struct region_table *regions, uint32_t construct, uint32_t joined);

#endif
