/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_PAGE_RANGES_H
#define MEMSEARCH_NUMA_PAGE_RANGES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Consecutive pages of an array on one node, with one first touch, that the same nodes use. Not
 * here: blocks of equal size for a picture (page_map.h).
 */
struct arena;
struct numa_array;
struct numa_ranking;
struct run_touch;

#define NUMA_RANGES_MOST 1024 /* of an array */

struct numa_range {
	uint64_t offset; /* of its first byte in its block */
	uint64_t pages;
	uint32_t home;
	const struct run_touch *touch; /* NULL: not known */
	uint64_t *lines;               /* by node of the threads that get them */
};

struct numa_ranges {
	struct numa_range *items;
	size_t nr, room;
	uint64_t left_out; /* pages of further ranges */
};

/* In the arena; fewer without memory. */
void numa_ranges(struct arena *arena, const struct numa_ranking *ranking,
		 const struct numa_array *of, struct numa_ranges *out);
/* The thread's node of the simulated machine; NAN: not known. */
double numa_node_of_thread(const struct numa_ranking *ranking, uint32_t thread);

#endif
