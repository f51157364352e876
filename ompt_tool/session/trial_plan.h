/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_TRIAL_PLAN_H
#define MEMSEARCH_SESSION_TRIAL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/placement/page_moves.h"
#include "ompt_tool/placement/page_nodes.h"

/*
 * Which pages of which arrays a trial moves, and where to: from the recorded accesses of the phase
 * (accesses/page_counts.h) and the present nodes of the pages. A page belongs to the node whose
 * threads enter most of its lines; one without recorded accesses to that of the page before it in
 * its block. In an arena; at phase boundaries.
 */
struct arena;

/* of the lines of an array that its threads enter: least part from other nodes */
#define TRIAL_PLAN_REMOTE 0.1
/* of all such lines of other nodes: least part of an array */
#define TRIAL_PLAN_SHARE 0.05
#define TRIAL_PLAN_ARRAYS 8 /* at most */
/* of struct trial_pages, 48 MiB: pages that alternate between nodes take a row each */
#define TRIAL_PLAN_ROWS (1u << 20)

struct trial_array {
	uint32_t array;
	uint64_t lines;  /* that were recorded */
	uint64_t remote; /* of these, by threads of other nodes than the page's */
};

/* Consecutive pages in one block that are on one node, and used from one node. */
struct trial_pages {
	uint64_t address, pages;
	uint64_t block; /* its first page */
	uint32_t array, home, user;
};

struct trial_plan {
	/* to be moved, most remote lines first */
	struct trial_array arrays[TRIAL_PLAN_ARRAYS];
	size_t nr_arrays;
	uint64_t lines, remote;    /* of all arrays */
	struct trial_pages *pages; /* by address */
	size_t nr_pages, room_pages;
	bool too_many; /* more than TRIAL_PLAN_ROWS */
};

/* Whether a region is executed in the phase: accesses of others, as initialisation, do not count. */
typedef bool trial_plan_in_phase(void *ctx, uint32_t region);
/*
 * False: no memory, too many rows (out->too_many), or the kernel refuses to name nodes of pages
 * (nodes->error).
 */
bool trial_plan_make(struct arena *arena, struct page_nodes *nodes, trial_plan_in_phase *in_phase,
		     void *ctx, struct trial_plan *out);
/*
 * Adds the moves of an array, or (ARRAY_NONE) of all arrays of the plan, to the nodes that use them;
 * or interleaved. False: no memory.
 */
bool trial_plan_moves(const struct trial_plan *plan, struct arena *arena, uint32_t array,
		      bool interleave, struct page_moves *out);
/*
 * Marks moves of blocks that are no longer allocated as gone. Returns one of their arrays;
 * ARRAY_NONE: all are allocated.
 */
uint32_t trial_plan_check(struct page_moves *moves);

#endif
