/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_LOOP_REGIONS_H
#define MEMSEARCH_ACCESSES_LOOP_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Natural loops of recorded code as regions of kind LOOP_REGION, below the construct that executes
 * them, nested as they are:
 *
 *     PARALLEL_REGION                    for (t …)                 no region: the construct is in
 *                                                                  it
 *       └ DO_REGION                        #pragma omp for
 *           │                              for (i …)               no region: it is the construct's
 *                                                                  own loop
 *           └ LOOP_REGION                    for (j …)
 *               └ LOOP_REGION                  for (k …)
 *
 * A loop's address is its header's. Numbers of loops are `joined` ones of clones/clone.h, 0: none.
 * Loops of functions that are called stand below the construct. Any thread, callbacks allowed.
 */
struct region_table;

/* region->own_loop: the construct has no loop that is all of it */
#define LOOP_OWN_NONE UINT32_MAX

/* The loop as it is counted; 0: none, or not known yet. */
uint32_t loop_joined(uint32_t number);
uint32_t loop_parent(uint32_t joined);
/* Whether the construct may lie in the loop: whose code its address is in. */
bool loop_is_around(struct region_table *regions, uint32_t construct, uint32_t joined);
/* The loop's region below the construct, made if need be. MS_REGION_NONE: it has none. */
uint32_t loop_region(struct region_table *regions, uint32_t construct, uint32_t joined);
/* The region of the innermost loop at or around it that has one; else the construct. */
uint32_t loop_region_around(struct region_table *regions, uint32_t construct, uint32_t joined);
/*
 * Whether the construct can have a loop of its own that needs no region: its kind, and the loop is
 * in code that is handed to the runtime for it.
 */
bool loop_may_be_own(struct region_table *regions, uint32_t construct, uint32_t joined);

#endif
