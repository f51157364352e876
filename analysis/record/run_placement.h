/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_PLACEMENT_H
#define MEMSEARCH_RECORD_RUN_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NUMA nodes of the pages of arrays in a run (run.h), as the kernel reported them. */

/* Consecutive pages on one node, by the pages that were queried. */
struct run_stretch {
	uint64_t address; /* of the first page, in the process */
	uint64_t pages;   /* of the system's page size; at least 1 */
	uint32_t node;    /* by the kernel's number, or one of: */
};
#define RUN_NODES_MOST 1024           /* numbers of nodes: below; Linux, MAX_NUMNODES */
#define RUN_NODE_UNTOUCHED UINT32_MAX /* was never written: has no memory */
#define RUN_NODE_UNKNOWN (UINT32_MAX - 1)
#define RUN_NODE_UNMAPPED (UINT32_MAX - 2)

/*
 * Nodes of the pages of an array's live blocks at one time. An array has two: of the first query,
 * and of the last one while it was allocated.
 */
struct run_placement {
	uint32_t array;
	bool at_end; /* the program had ended its work */
	bool file;   /* its first block is of a file, or shared memory */
	/* executions of the phase that were complete then */
	uint64_t execution;
	uint64_t every; /* one page in this number was queried */
	uint64_t asked; /* number of pages that were queried */
	/* of it in pages larger than the system's; RUN_HUGE_UNKNOWN: not known */
	uint64_t huge_bytes;
#define RUN_HUGE_UNKNOWN UINT64_MAX
	/*
	 * Queries of the array up to this one, and pages that were on another node than at the query
	 * before, of all of them: a page that was moved twice counts twice, one that was moved there and
	 * back between two queries not at all.
	 */
	uint64_t queries, moves;
	/* by address */
	size_t nr_stretches;
	struct run_stretch *stretches;
};

/*
 * Pages on another node in `after` than in `before`, and in *both_out those on a node in both. With
 * another `every` the pages are others: 0 and 0.
 */
uint64_t run_placement_moved(const struct run_placement *before, const struct run_placement *after,
			     uint64_t page_bytes, uint64_t *both_out);
/*
 * Moves by page between queries, without those that brought a page to the node that it is on in `last`
 * and was not on in `first`: moves of pages that go back and forth. Negative: not known.
 */
double run_placement_returns(const struct run_placement *first, const struct run_placement *last,
			     uint64_t page_bytes);

/* How the nodes of pages were queried (move_pages(2)). */
struct run_placing {
	/* why no page was queried, or not all; NULL: all were */
	const char *why;
	uint64_t page_bytes; /* 0: no page was queried */
	uint64_t asked;      /* pages in all, and … */
	double ns;           /* … the time that took */
	bool balancing;      /* the kernel's automatic NUMA balancing was on */
};

#endif
