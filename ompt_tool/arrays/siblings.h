/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_SIBLINGS_H
#define MEMSEARCH_ARRAYS_SIBLINGS_H

#include <stdint.h>

/*
 * Rows for blocks of one allocation site that live at the same time. A program that allocates all
 * its arrays in one routine has one site; what is seen of its blocks, first touches above all, is
 * kept by row, and the name of each comes later. So a large block gets a row of its own while
 * others of its site live, up to a number; more, and small ones, share the site's. Small ones are
 * not counted.
 *
 * Called by the hooks: no malloc; any thread; one short lock, and only where the site's row is in
 * use already.
 */
#define SIBLING_BYTES 65536
#define SIBLINGS_MAX 256 /* of a site */

/* The row for a new block of the site's row `site`. */
uint32_t siblings_take(uint32_t site, uint64_t bytes);
/* A block of that row is gone. A row without a name serves the next block. */
void siblings_leave(uint32_t array, uint64_t bytes);
/* It was not gone, or is back. */
void siblings_return(uint32_t array, uint64_t bytes);
/* The row of its site; itself where it is one. */
uint32_t siblings_site(uint32_t array);

#endif
