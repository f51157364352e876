/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_SMALL_SITES_H
#define MEMSEARCH_ARRAYS_SMALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where heap blocks that are too small to be recorded were allocated, by a sample of them (heap.h): the
 * row of the allocation's path by the block's address, so that a block that is freed and allocated again
 * counts once, as do a thousand short strings beside a list's nodes.
 *
 * The first blocks of each thread have weight 1, and their ends are known. A site of which only such
 * blocks are known has few: they are arrays of its row. Blocks of other sites have one row together, which
 * has the places of the sites that allocated most of them.
 */

#define SMALL_SITES_MOST 49152 /* blocks; further ones are not noted */

/* False: no memory. */
bool small_sites_start(void);
/*
 * Any thread; no malloc. `array` ARRAY_NONE: not the program's block. False: not noted, as a block of
 * weight above 1 that finds the table in use.
 */
bool small_sites_note(uintptr_t block, uint64_t bytes, uint32_t array, uint32_t weight);
/* Ends a noted block of weight 1; its site keeps it. False: it was not noted. */
bool small_sites_forget(uintptr_t block);
/*
 * Calls `add` once for each live block of sites with few blocks. At a phase boundary; no malloc in
 * `add`.
 */
void small_sites_divide(void (*add)(uint32_t array, uintptr_t block, uint64_t bytes));

/* A row of a site, and the site's share of the sampled blocks, without those that were added. */
struct small_site {
	uint32_t array;
	double share;
};
/* The sites with most blocks, descending; returns their number. At the end, on one thread. */
size_t small_sites_most(struct small_site *sites_out, size_t room);

#endif
