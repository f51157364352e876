/* SPDX-License-Identifier: Apache-2.0 */
/* An array's pages as the kernel had them, many as one. */
#include "analysis/numa/measured_map.h"

#include "analysis/numa/measured_pages.h"
#include "analysis/numa/page_map.h"

#define MOSTLY 0.9 /* of a block's pages, for it to be one node's */

/* Pages of one block. */
struct counts {
	uint64_t placed, unknown;
	uint64_t most; /* on one node, … */
	uint32_t node; /* … this one */
};

static uint32_t home_of(const struct counts *counts)
{
	if (counts->placed)
		return (double)counts->most >= MOSTLY * (double)counts->placed ? counts->node
									       : NUMA_SEVERAL;
	return counts->unknown ? NUMA_UNKNOWN : NUMA_NOBODY;
}

/* Of pages [low, high) of the array, those on a node, or without one. */
static uint64_t pages_between(const struct run_placement *row, uint64_t low, uint64_t high,
			      uint32_t node)
{
	uint64_t at = 0, on = 0;

	for (size_t i = 0; i < row->nr_stretches && at < high; i++) {
		uint64_t from = at > low ? at : low, end = at + row->stretches[i].pages;

		at = end;
		end = end < high ? end : high;
		if (end > from && row->stretches[i].node == node)
			on += end - from;
	}
	return on;
}

static uint32_t home_between(const struct numa_measured *measured,
			     const struct numa_measured_array *of, uint64_t low, uint64_t high)
{
	const struct run_placement *row = of->last;
	struct counts counts = { .unknown = pages_between(row, low, high, RUN_NODE_UNKNOWN) };

	for (uint32_t node = 0; node < measured->nodes; node++) {
		uint64_t on = of->nodes[node] ? pages_between(row, low, high, node) : 0;

		counts.placed += on;
		if (on <= counts.most)
			continue;
		counts.most = on;
		counts.node = node;
	}
	return home_of(&counts);
}

void numa_measured_map(const struct numa_measured *measured, const struct numa_measured_array *of,
		       struct numa_map *out)
{
	*out = (struct numa_map){ .nr = of->pages < NUMA_MAP_BLOCKS ? (size_t)of->pages
								    : NUMA_MAP_BLOCKS };
	out->block_pages = (double)of->pages / (double)out->nr;
	for (size_t i = 0; i < out->nr; i++) {
		uint64_t low = of->pages * i / out->nr, high = of->pages * (i + 1) / out->nr;

		out->blocks[i] = (struct numa_block){
			.pages = high - low,
			.home = home_between(measured, of, low, high),
			.user = NUMA_NOBODY,
			.site = NUMA_UNKNOWN,
			.thread = NUMA_UNKNOWN,
		};
	}
}
