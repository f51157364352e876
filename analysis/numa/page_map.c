/* SPDX-License-Identifier: Apache-2.0 */
/* An array's pages, many as one. */
#include "analysis/numa/page_map.h"

#include <string.h>

#include "analysis/machine/model.h"
#include "analysis/numa/ranking.h"
#include "analysis/simulation/page_use.h"

#define MOSTLY 0.9
/* pages of the span for each that is used, beyond which the rest is left out */
#define SCATTERED 4

/* By node, of one block. */
struct counts {
	uint64_t homes[MODEL_NODES], lines[MODEL_NODES];
};

static uint32_t node_of(const uint64_t *counts)
{
	uint64_t all = 0;
	uint32_t most = 0;

	for (uint32_t node = 0; node < MODEL_NODES; node++) {
		all += counts[node];
		most = counts[node] > counts[most] ? node : most;
	}
	if (!all)
		return NUMA_NOBODY;
	return (double)counts[most] >= MOSTLY * (double)all ? most : NUMA_SEVERAL;
}

struct span {
	uint64_t first, pages;
	bool by_row;
};

static struct span span_of(const struct page_uses *uses, const struct numa_array *of)
{
	const struct page_use *first = &uses->rows[of->first_page],
			      *last = first + of->nr_pages - 1;
	uint64_t pages = last->address / uses->page_bytes - first->address / uses->page_bytes + 1;
	bool by_row = pages > (uint64_t)SCATTERED * of->nr_pages;

	return (struct span){ first->address / uses->page_bytes, by_row ? of->nr_pages : pages,
			      by_row };
}

static void add(const struct page_uses *uses, const struct page_use *page, struct numa_block *block,
		struct counts *counts)
{
	if (!block->pages++)
		block->address = page->address;
	counts->homes[page->home]++;
	for (uint32_t node = 0; node < uses->nodes; node++)
		counts->lines[node] += page->lines[node];
}

void numa_map(const struct page_uses *uses, const struct numa_array *of, struct numa_map *out)
{
	struct counts counts[NUMA_MAP_BLOCKS];
	struct span span = span_of(uses, of);

	memset(counts, 0, sizeof(counts));
	*out = (struct numa_map){ .nr = span.pages < NUMA_MAP_BLOCKS ? (size_t)span.pages
								     : NUMA_MAP_BLOCKS };
	out->block_pages = (double)span.pages / (double)out->nr;
	for (size_t i = 0; i < of->nr_pages; i++) {
		const struct page_use *page = &uses->rows[of->first_page + i];
		uint64_t number = span.by_row ? i : page->address / uses->page_bytes - span.first;
		size_t block = (size_t)(number * out->nr / span.pages);

		add(uses, page, &out->blocks[block], &counts[block]);
	}
	for (size_t i = 0; i < out->nr; i++) {
		out->blocks[i].home = node_of(counts[i].homes);
		out->blocks[i].user = node_of(counts[i].lines);
	}
}
