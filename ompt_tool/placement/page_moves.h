/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PLACEMENT_PAGE_MOVES_H
#define MEMSEARCH_PLACEMENT_PAGE_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/placement/numa_library.h"

/*
 * Moves pages of this process to other nodes and back, by move_pages(2) with target nodes. Their
 * contents and addresses stay; threads that access a page meanwhile wait in the kernel. Which pages,
 * and why: session/trial_plan.h. At phase boundaries, one thread at a time; 24 KiB of stack.
 */
struct arena;

#define PAGE_MOVES_INTERLEAVE UINT32_MAX /* as `to`: page number modulo the nodes */

/* Consecutive pages of the system's page size that are on one node. */
struct page_move {
	uint64_t address, pages;
	uint64_t block;    /* first page of its block of memory */
	uint32_t from, to; /* kernel's numbers of nodes */
	uint32_t array;
	/* the block was freed: it is neither moved nor moved back */
	bool gone;
};

struct page_moves {
	numa_move_pages *move_pages;
	uint64_t page_bytes;
	const uint32_t *nodes; /* of PAGE_MOVES_INTERLEAVE; owned by the caller */
	uint32_t nr_nodes;
	struct page_move *items; /* by address; in an arena */
	size_t nr, room;
	/*
	 * errno with which the kernel refused a call of the last page_moves_apply, which then moved no
	 * more pages, unless it moved them back; 0: none was refused
	 */
	int error;
};

/* Continues the last item where that is possible. False: no memory. */
bool page_moves_add(struct page_moves *moves, struct arena *arena, const struct page_move *move);
/* Pages that change their node. */
uint64_t page_moves_pages(const struct page_moves *moves);
/*
 * Moves all pages to their new nodes, or back. Returns the number of pages that are in memory, but
 * on another node then: the kernel had no room on the node, or does not move them (shared with
 * other processes, locked by a device).
 */
uint64_t page_moves_apply(struct page_moves *moves, bool back);

#endif
