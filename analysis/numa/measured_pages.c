/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of arrays by node, as the kernel had them. */
#include "analysis/numa/measured_pages.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"

#define NORMAL 1.96 /* 95 % of a normal distribution */

/* ------------------------------------------------------------------ pages */

static uint64_t pages_of(const struct run_placement *row)
{
	uint64_t pages = 0;

	for (size_t i = 0; row->stretches && i < row->nr_stretches; i++)
		pages += row->stretches[i].pages;
	return pages;
}

/* The worst case, a half, of a sample without replacement. */
static double error_of(const struct run_placement *row, uint64_t pages)
{
	if (row->every <= 1 || !row->asked || row->asked >= pages)
		return 0;
	return NORMAL * 0.5 / sqrt((double)row->asked) *
	       sqrt(1 - (double)row->asked / (double)pages);
}

static void add(struct numa_measured_array *to, const struct run_stretch *stretch)
{
	to->pages += stretch->pages;
	switch (stretch->node) {
	case RUN_NODE_UNTOUCHED: to->untouched += stretch->pages; break;
	case RUN_NODE_UNMAPPED: to->unmapped += stretch->pages; break;
	case RUN_NODE_UNKNOWN: to->unknown += stretch->pages; break;
	default: to->placed += stretch->pages; to->nodes[stretch->node] += stretch->pages;
	}
}

static double moved_of(const struct run_placement *first, const struct run_placement *last,
		       uint64_t page_bytes)
{
	uint64_t both, moved = run_placement_moved(first, last, page_bytes, &both);

	return both ? (double)moved / (double)both : NAN;
}

/* ------------------------------------------------------------------ arrays */

static bool fill_array(struct numa_measured *measured, struct arena *arena,
		       struct numa_measured_array *to)
{
	uint64_t page_bytes = measured->run->placing.page_bytes;

	to->nodes = arena_alloc(arena, (measured->nodes + 1) * sizeof(*to->nodes));
	if (!to->nodes)
		return false;
	memset(to->nodes, 0, (measured->nodes + 1) * sizeof(*to->nodes));
	for (size_t i = 0; to->last->stretches && i < to->last->nr_stretches; i++)
		add(to, &to->last->stretches[i]);
	for (uint32_t node = 0; node < measured->nodes; node++) {
		measured->pages[node] += to->nodes[node];
		to->most = to->nodes[node] > to->nodes[to->most] ? node : to->most;
	}
	measured->placed += to->placed;
	to->most_share = to->placed ? (double)to->nodes[to->most] / (double)to->placed : NAN;
	to->error = error_of(to->last, to->pages);
	to->moved = to->first ? moved_of(to->first, to->last, page_bytes) : NAN;
	to->moves = to->placed && to->last->queries > 1
			    ? (double)to->last->moves / (double)to->placed
			    : NAN;
	to->huge = to->last->huge_bytes == RUN_HUGE_UNKNOWN || !to->placed
			   ? NAN
			   : fmin(1, (double)to->last->huge_bytes /
					     ((double)to->placed * (double)page_bytes));
	return true;
}

static int by_pages(const void *a, const void *b)
{
	const struct numa_measured_array *left = a, *right = b;

	if (left->placed != right->placed)
		return left->placed < right->placed ? 1 : -1;
	return (left->array > right->array) - (left->array < right->array);
}

/* Numbers of nodes are below: those of the machine, and of what the kernel answered. */
static uint32_t nodes_of(const struct run *run)
{
	uint32_t nodes = run->machine.nodes < RUN_NODES_MOST ? run->machine.nodes : 0;

	for (size_t i = 0; i < run->nr_placements; i++) {
		const struct run_placement *row = &run->placements[i];

		for (size_t k = 0; row->stretches && k < row->nr_stretches; k++)
			if (row->stretches[k].node < RUN_NODES_MOST &&
			    row->stretches[k].node >= nodes)
				nodes = row->stretches[k].node + 1;
	}
	return nodes;
}

static bool fill(struct numa_measured *measured, struct arena *arena)
{
	const struct run *run = measured->run;

	for (size_t i = 0, end; i < run->nr_placements; i = end) {
		struct numa_measured_array *to = &measured->arrays[measured->nr];

		for (end = i + 1; end < run->nr_placements &&
				  run->placements[end].array == run->placements[i].array;)
			end++;
		*to = (struct numa_measured_array){
			.array = run->placements[i].array,
			.first = end > i + 1 ? &run->placements[i] : NULL,
			.last = &run->placements[end - 1],
		};
		if (!pages_of(to->last))
			continue;
		if (!fill_array(measured, arena, to))
			return false;
		measured->nr++;
	}
	return true;
}

const struct numa_measured *numa_measured(struct arena *arena, const struct run *run)
{
	struct numa_measured *measured = arena_alloc(arena, sizeof(*measured));
	uint64_t most = 0;
	double mean;

	if (!measured)
		return NULL;
	*measured = (struct numa_measured){ .run = run,
					    .why = run->placing.why,
					    .nodes = nodes_of(run) };
	measured->pages = arena_alloc(arena, (measured->nodes + 1) * sizeof(*measured->pages));
	measured->arrays = arena_alloc(arena, (run->nr_placements + 1) * sizeof(*measured->arrays));
	if (!measured->pages || !measured->arrays)
		return NULL;
	memset(measured->pages, 0, (measured->nodes + 1) * sizeof(*measured->pages));
	if (!fill(measured, arena))
		return NULL;
	sort(measured->arrays, measured->nr, sizeof(*measured->arrays), by_pages);
	for (uint32_t node = 0; node < measured->nodes; node++)
		most = measured->pages[node] > most ? measured->pages[node] : most;
	mean = (double)measured->placed /
	       (run->machine.nodes ? run->machine.nodes : measured->nodes + !measured->nodes);
	measured->imbalance = measured->placed ? (double)most / mean - 1 : NAN;
	return measured;
}
