/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PLACEMENT_PLACEMENT_MAP_H
#define MEMSEARCH_PLACEMENT_PLACEMENT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/placement/page_nodes.h"

/*
 * The present nodes of all arrays' pages: of their live blocks in the table of arrays (array.h).
 * Large arrays are sampled. Not included: stacks, thread-private data, and arrays whose blocks
 * together are smaller than a page.
 */
/*
 * Pages sampled per array: the error of its share on a node is below 1.5 percentage points (95 %;
 * in the worst case, a share of one half).
 */
#define PLACEMENT_PAGES_OF_ARRAY 4096u
#define PLACEMENT_PAGES_LEAST 64u /* error below 12 percentage points */

struct placement_map {
	struct run_placement *items; /* by array */
	size_t nr, room;
};

/*
 * Queries at most about `most` pages, but PLACEMENT_PAGES_LEAST of each array. Fills in only array,
 * every, asked and stretches. In the arena. False: the arena is full, or the kernel refused
 * (nodes->error); the results so far are valid. At phase boundaries.
 */
bool placement_map(struct page_nodes *nodes, struct arena *arena, uint64_t most,
		   struct placement_map *out);

/* The same blocks, by array and address. */
struct placed_block {
	uint32_t array;
	uint64_t start, bytes;
};
struct placed_blocks {
	struct placed_block *items;
	size_t nr, room;
};
/* False: no memory. */
bool placement_blocks(struct arena *arena, struct placed_blocks *out);

#endif
