/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PAGES_H
#define MEMSEARCH_SIMULATOR_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/base/hash.h"
#include "analysis/simulator/lookup.h"
#include "analysis/simulator/simulator.h"

/*
 * Which node a page is on (rule 7), and how many lines of it threads of which node get from memory,
 * where that is counted.
 */
#define PAGES_RECENT_BITS 6 /* log2 of how many */

struct pages {
	struct lookup homes;       /* page → node, of pages that were accessed or placed */
	uint64_t accessed, placed; /* how many were; those of them that were placed before */
	uint32_t nodes;
	bool interleave;
	bool counts;         /* lines by page and node */
	struct lookup lines; /* page * nodes + node → lines, where they are counted */
	/* page + 1; asked for last, by hash_place */
	struct {
		uint64_t page;
		uint32_t node;
	} recent[1 << PAGES_RECENT_BITS];
};

struct page_home {
	uint64_t key; /* of lookup.h */
	uint32_t node;
	bool accessed;
};

struct page_lines {
	uint64_t key; /* of lookup.h */
	uint64_t lines;
};

void pages_init(struct pages *pages, uint32_t nodes, bool interleave, size_t *budget);
/* `*lost` is increased for each page that does not fit in the table. */
void pages_place(struct pages *pages, uint64_t first, uint64_t last, uint32_t node, uint64_t *lost);
uint32_t pages_look_up(struct pages *pages, uint64_t page, uint32_t from, uint64_t *lost);

/* The page is accessed from a node. `*lost` is increased if the table is full. */
static inline uint32_t pages_node(struct pages *pages, uint64_t page, uint32_t from, uint64_t *lost)
{
	if (pages->nodes == 1)
		return 0;
	if (pages->recent[hash_place(page, PAGES_RECENT_BITS)].page == page + 1) {
		uint32_t node = pages->recent[hash_place(page, PAGES_RECENT_BITS)].node;

		return node == SIMULATOR_EVERYWHERE ? from : node;
	}
	return pages_look_up(pages, page, from, lost);
}

void pages_count(struct pages *pages, uint64_t page, uint32_t from, uint64_t *lost);
/* A core of the node gets a line of the page from memory, by an access or a prefetch. */
static inline void pages_fetched(struct pages *pages, uint64_t page, uint32_t from, uint64_t *lost)
{
	if (pages->counts)
		pages_count(pages, page, from, lost);
}
/* Sets all counts of lines to 0. */
void pages_clear(struct pages *pages);
void pages_release(struct pages *pages);
/* Each page of which lines were counted, once for each node that got some. */
void pages_each(const struct pages *pages,
		void (*visit)(void *ctx, uint64_t page, uint32_t home, uint32_t from,
			      uint64_t lines),
		void *ctx);

#endif
