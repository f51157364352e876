/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_PAGE_MAP_H
#define MEMSEARCH_NUMA_PAGE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An array's pages in at most NUMA_MAP_BLOCKS blocks: the node that holds each, the node whose
 * threads use it, and the line and thread that touched it first.
 */
struct numa_array;
struct numa_ranking;

#define NUMA_MAP_BLOCKS 64
#define NUMA_NOBODY UINT32_MAX        /* no line of it came from memory */
#define NUMA_SEVERAL (UINT32_MAX - 1) /* none has nine tenths of it */
#define NUMA_UNKNOWN (UINT32_MAX - 2) /* the kernel had no answer */

struct numa_block {
	uint64_t address;    /* of its first page, in the program */
	uint64_t pages;      /* of which lines came from memory */
	uint32_t home, user; /* numbers of nodes, or the above */
	/* number of the touch_group in its array, and of the thread; NUMA_SEVERAL, NUMA_UNKNOWN */
	uint32_t site, thread;
};

/* What of the blocks is drawn in one row. */
enum numa_row { NUMA_ROW_SITES, NUMA_ROW_THREADS, NUMA_ROW_HOMES, NUMA_ROW_USERS };

struct numa_map {
	double block_pages; /* pages of a block; the last may have fewer */
	size_t nr;
	struct numa_block blocks[NUMA_MAP_BLOCKS];
};

/* The blocks have first touches at several lines (`sites`), or by several threads. */
bool numa_map_has_sites(const struct numa_map *map);
bool numa_map_has_threads(const struct numa_map *map);
/*
 * By address; of arrays of several blocks of memory far from each other by the pages that are used.
 */
void numa_map(const struct numa_ranking *ranking, const struct numa_array *of,
	      struct numa_map *out);

#endif
