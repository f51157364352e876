/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PLACEMENT_PAGE_NODES_H
#define MEMSEARCH_PLACEMENT_PAGE_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "ompt_tool/placement/numa_library.h"

/*
 * The nodes of pages of this process, by move_pages(2) without target nodes: nothing is moved, and
 * untouched pages stay untouched. Not here: which pages (placement_map.h).
 *
 * What the kernel answers for a page, and what is kept of it:
 *
 *     >= 0       its node
 *     -ENOENT    RUN_NODE_UNTOUCHED; RUN_NODE_UNKNOWN while automatic NUMA balancing is on: kernels
 *                6.1 to 6.4 answer so for pages that are in memory and wait for a hinting fault
 *     -EFAULT    RUN_NODE_UNTOUCHED: the kernel's page of zeros (read, never written), in kernel 6.1
 *                any page without memory; RUN_NODE_UNMAPPED where mincore(2) says so
 *     others     RUN_NODE_UNKNOWN
 */
struct arena;

struct page_nodes {
	numa_move_pages *move_pages;
	uint64_t page_bytes;
	bool balancing; /* automatic NUMA balancing is on (page_nodes_balancing) */
	/* errno of the call that the kernel refused, after which none is made; 0: none */
	int error;
	uint64_t asked; /* pages queried so far */
};

/* Consecutive pages of one node, by ascending address; in an arena. */
struct page_stretches {
	struct run_stretch *items;
	size_t nr, room;
};

/* Why move_pages(2) failed, by its man page; NULL: the arena is full. */
const char *page_nodes_refused(struct arena *arena, int error);

/* /proc/sys/kernel/numa_balancing; false where the kernel has none. Opens a file. */
bool page_nodes_balancing(void);

/*
 * Queries one page per `every` (at least 1) pages of [low, high), at a varying position, so that no
 * interleaving coincides with it; a stretch gets the node of its queried pages. Adds to *out.
 * False: the arena is full, or the kernel refused (`error`). At phase boundaries; 24 KiB of stack.
 */
bool page_nodes_ask(struct page_nodes *nodes, struct arena *arena, uint64_t low, uint64_t high,
		    uint64_t every, struct page_stretches *out);

#endif
