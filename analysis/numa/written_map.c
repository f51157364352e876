/* SPDX-License-Identifier: Apache-2.0 */
/* Written pages in blocks, by thread and node. */
#include "analysis/numa/written_map.h"

#include <stdbool.h>

#include "analysis/numa/page_map.h"
#include "analysis/numa/written_pages.h"

/* of a block's written pages: one thread has it (page_map.h) */
#define MOST_OF_BLOCK 0.9

/* Watched pages before an address, of all rows with ranges; the map is by watched pages. */
static uint64_t pages_before(const struct numa_writes *writes, const struct run_write *row,
			     uint64_t address)
{
	uint64_t page_bytes = writes->run->writing.page_bytes, pages = 0;

	for (size_t i = 0; i < row->nr_ranges && row->ranges[i].address < address; i++) {
		uint64_t behind = (address - row->ranges[i].address + page_bytes - 1) / page_bytes;

		pages += behind < row->ranges[i].pages ? behind : row->ranges[i].pages;
	}
	return pages;
}

static uint64_t pages_between(const struct numa_writes *writes, const struct run_write *row,
			      uint64_t low, uint64_t high)
{
	return pages_before(writes, row, high) - pages_before(writes, row, low);
}

/* Thread, or node, that has most of the block. */
static uint32_t main_user(const struct numa_writes *writes, const struct numa_written *of,
			  uint64_t low, uint64_t high, bool nodes)
{
	uint64_t all = 0, most = 0;
	uint32_t who = NUMA_NOBODY;

	for (size_t i = 0; i < of->nr_rows; i++) {
		const struct run_write *row = &of->first[i];
		uint32_t number = nodes ? row->node : row->thread;
		uint64_t pages = 0;

		if (!numa_is_written(row))
			continue;
		all += pages_between(writes, row, low, high);
		for (size_t k = 0; k < of->nr_rows; k++) {
			const struct run_write *other = &of->first[k];

			if (numa_is_written(other) &&
			    number == (nodes ? other->node : other->thread))
				pages += pages_between(writes, other, low, high);
		}
		if (pages > most) {
			most = pages;
			who = number == UINT32_MAX ? NUMA_UNKNOWN : number;
		}
	}
	return (double)most >= MOST_OF_BLOCK * (double)all ? who : NUMA_SEVERAL;
}

static void bounds(const struct numa_writes *writes, const struct numa_written *of, uint64_t *low,
		   uint64_t *high)
{
	*low = UINT64_MAX;
	*high = 0;
	for (size_t i = 0; i < of->nr_rows; i++)
		for (size_t k = 0; k < of->first[i].nr_ranges; k++) {
			const struct run_pages *range = &of->first[i].ranges[k];
			uint64_t end = range->address +
				       range->pages * writes->run->writing.page_bytes;

			*low = range->address < *low ? range->address : *low;
			*high = end > *high ? end : *high;
		}
}

void numa_written_map(const struct numa_writes *writes, const struct numa_written *of,
		      struct numa_map *out)
{
	uint64_t page_bytes = writes->run->writing.page_bytes, low, high, pages;

	bounds(writes, of, &low, &high);
	pages = high > low ? (high - low) / page_bytes : 0;
	*out = (struct numa_map){ .nr = pages < NUMA_MAP_BLOCKS ? (size_t)pages : NUMA_MAP_BLOCKS };
	out->block_pages = out->nr ? (double)pages / (double)out->nr : 0;
	for (size_t i = 0; i < out->nr; i++) {
		uint64_t from = low + pages * i / out->nr * page_bytes,
			 to = low + pages * (i + 1) / out->nr * page_bytes;

		out->blocks[i] = (struct numa_block){
			.address = from,
			.pages = (to - from) / page_bytes,
			.home = NUMA_UNKNOWN,
			.user = main_user(writes, of, from, to, true),
			.site = NUMA_UNKNOWN,
			.thread = main_user(writes, of, from, to, false),
		};
	}
}
