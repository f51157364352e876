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
 * A loop's address is that of its header. Loop numbers are `joined` numbers of clones/clone.h, 0:
 * none. Loops of called functions are below the construct, too. Any thread, callbacks allowed.
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
/*
 * Whether the loop may be the construct's own loop, which needs no region: by the construct's kind,
 * and if the loop is in code that the program passes to the runtime for it.
 */
bool loop_may_be_own(struct region_table *regions, uint32_t construct, uint32_t joined);

#endif
