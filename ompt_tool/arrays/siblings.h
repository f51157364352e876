/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_SIBLINGS_H
#define MEMSEARCH_ARRAYS_SIBLINGS_H

#include <stdint.h>

/*
 * Rows for blocks of one allocation site that live at the same time. A program that allocates all
 * its arrays in one routine has one site; observations of its blocks, mainly first touches, are
 * stored by row, before each block's name is known. So a large block gets a row of its own while
 * others of its site live, up to SIBLINGS_MAX; further ones, and small blocks, share the site's
 * row. Small blocks are not counted.
 *
 * Called by the hooks: no malloc; any thread; one short lock, and only if the site's row is in use.
 */
#define SIBLING_BYTES 65536
#define SIBLINGS_MAX 256 /* of a site */

/* The row for a new block of the site's row `site`. */
uint32_t siblings_take(uint32_t site, uint64_t bytes);
/* A block of that row was freed. A row without a name is reused for the next block. */
void siblings_leave(uint32_t array, uint64_t bytes);
/* The block was not freed after all, or is restored. */
void siblings_return(uint32_t array, uint64_t bytes);
/* The row of its site; itself where it is one. */
uint32_t siblings_site(uint32_t array);

#endif
