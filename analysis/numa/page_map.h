/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_PAGE_MAP_H
#define MEMSEARCH_NUMA_PAGE_MAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * An array's pages in at most NUMA_MAP_BLOCKS blocks: the node that holds each, and the node whose
 * threads use it.
 */
struct numa_array;
struct page_uses;

#define NUMA_MAP_BLOCKS 64
#define NUMA_NOBODY UINT32_MAX        /* no line of it came from memory */
#define NUMA_SEVERAL (UINT32_MAX - 1) /* none has nine tenths of it */
#define NUMA_UNKNOWN (UINT32_MAX - 2) /* the kernel had no answer */

struct numa_block {
	uint64_t address;    /* of its first page, in the program */
	uint64_t pages;      /* of which lines came from memory */
	uint32_t home, user; /* numbers of nodes, or the above */
};

struct numa_map {
	double block_pages; /* pages of a block; the last may have fewer */
	size_t nr;
	struct numa_block blocks[NUMA_MAP_BLOCKS];
};

/*
 * By address; of arrays of several blocks of memory far from each other by the pages that are used.
 */
void numa_map(const struct page_uses *uses, const struct numa_array *of, struct numa_map *out);

#endif
