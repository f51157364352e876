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
	bool counts;         /* lines by part of a page and node */
	unsigned part_shift; /* log2 of the parts of a page */
	struct lookup lines; /* part * nodes + node → lines, where they are counted */
	/* page + 1; asked for last, by hash_place */
	struct {
		uint64_t page;
		uint32_t node;
		uint8_t mark; /* enum page_mark */
	} recent[1 << PAGES_RECENT_BITS];
};

/* By the nodes whose cores fetch its lines (rule 15). */
enum page_mark { PAGE_UNSHARED, PAGE_SHARED, PAGE_SPLIT };

struct page_home {
	uint64_t key; /* of lookup.h */
	uint32_t node;
	bool accessed;
	uint8_t mark; /* enum page_mark */
};

struct page_lines {
	uint64_t key; /* of lookup.h */
	uint64_t lines;
};

/* `parts` of a page: log2. `*lost` is increased for each page that does not fit in the table. */
void pages_init(struct pages *pages, uint32_t nodes, bool interleave, unsigned parts,
		size_t *budget);
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

/* As pages_node, but does not decide on the node of a page that was not accessed. */
uint32_t pages_home(const struct pages *pages, uint64_t page, uint32_t from);
enum page_mark pages_mark_of(const struct pages *pages, uint64_t page);
/* A core of the node gets a line of the part from memory, by an access or a prefetch. */
void pages_count(struct pages *pages, uint64_t part, uint32_t from, uint64_t *lost);
/* Marks pages by what was counted (simulator_mark_pages). */
void pages_mark(struct pages *pages);
/* Sets all counts of lines to 0. */
void pages_clear(struct pages *pages);
void pages_release(struct pages *pages);
/* Each part of a page of which lines were counted, once for each node that got some. */
void pages_each(const struct pages *pages,
		void (*visit)(void *ctx, uint64_t page, uint32_t home, uint32_t from,
			      uint64_t lines),
		void *ctx);

#endif
