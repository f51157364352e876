/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PLACEMENT_PLACEMENT_MAP_H
#define MEMSEARCH_PLACEMENT_PLACEMENT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/placement/page_nodes.h"

/*
 * The nodes of all arrays' pages now: of their live blocks, as far as the table of arrays (array.h)
 * has them. Large arrays are sampled. Left out: stacks, what is thread-private, and arrays whose
 * blocks together are smaller than a page.
 */
/*
 * Pages asked for of one array: its share on a node is known within 1.5 points (95 %; of the worst
 * case, half of it).
 */
#define PLACEMENT_PAGES_OF_ARRAY 4096u
#define PLACEMENT_PAGES_LEAST 64u /* within 12 points */

struct placement_map {
	struct run_placement *items; /* by array */
	size_t nr, room;
};

/*
 * Asks for about `most` pages at most, but for PLACEMENT_PAGES_LEAST of each array. Only array, every, asked and stretches are filled in. In the arena. False: the
 * arena is full, or the kernel refused (nodes->error); what is there by then is right. At phase
 * boundaries.
 */
bool placement_map(struct page_nodes *nodes, struct arena *arena, uint64_t most,
		   struct placement_map *out);

#endif
