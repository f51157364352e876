/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_SMALL_SITES_H
#define MEMSEARCH_ARRAYS_SMALL_SITES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where heap blocks that are too small to be recorded were allocated, by a sample of them (heap.h): the
 * row of the allocation's path by the block's address, so that a block that is freed and allocated again
 * counts once, as do a thousand short strings beside a list's nodes.
 */

#define SMALL_SITES_MOST 49152 /* blocks; further ones are not noted */

/* False: no memory. */
bool small_sites_start(void);
/* Any thread; no malloc. A block that finds the table in use is not noted. */
void small_sites_note(uintptr_t block, uint32_t array);
/*
 * A row of the site at which most of the sampled blocks were allocated, and its share of them.
 * ARRAY_NONE: none was sampled. At the end, on one thread.
 */
uint32_t small_sites_most(double *share_out);

#endif
