/* SPDX-License-Identifier: Apache-2.0 */
/* An array's pages, many as one. */
#include "analysis/numa/page_map.h"

#include <string.h>

#include "analysis/machine/model.h"
#include "analysis/numa/ranking.h"
#include "analysis/numa/touched_pages.h"
#include "analysis/report/arrays.h"
#include "analysis/simulation/page_use.h"

#define MOSTLY 0.9
/* pages of the span for each that is used, beyond which the rest is left out */
#define SCATTERED 4

#define TALLIED 8 /* different values in a block */

/* Values by their number of pages; `unknown`: pages without a value. */
struct tally {
	uint64_t all, unknown;
	size_t nr;
	struct {
		uint32_t value;
		uint64_t pages;
	} items[TALLIED];
};

/* Of one block: by node, by number of the touch_group, by thread. */
struct counts {
	uint64_t homes[MODEL_NODES], lines[MODEL_NODES];
	struct tally sites, threads;
};

static void tally_add(struct tally *tally, uint32_t value)
{
	size_t i = 0;

	if (value == NUMA_UNKNOWN) {
		tally->unknown++;
		return;
	}
	tally->all++;
	while (i < tally->nr && tally->items[i].value != value)
		i++;
	if (i == tally->nr && i < TALLIED)
		tally->items[tally->nr++].value = value;
	if (i < TALLIED)
		tally->items[i].pages++;
}

/* The value of nearly all that have one. */
static uint32_t tally_most(const struct tally *tally)
{
	for (size_t i = 0; i < tally->nr; i++)
		if ((double)tally->items[i].pages >= MOSTLY * (double)tally->all)
			return tally->items[i].value;
	return tally->all ? NUMA_SEVERAL : tally->unknown ? NUMA_UNKNOWN : NUMA_NOBODY;
}

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

static uint32_t site_of(const struct arrays_view *view, const struct run_touch *touch)
{
	const struct touch_group *group = touch ? arrays_group(view, touch) : NULL;

	return group ? (uint32_t)(group - &view->groups[view->first[touch->array]]) : NUMA_UNKNOWN;
}

static void add(const struct numa_ranking *ranking, const struct numa_array *of,
		const struct page_use *page, struct numa_block *block, struct counts *counts)
{
	const struct page_uses *uses = ranking->uses;
	const struct run_touch *touch = touched_pages_at(ranking->touched, of->array,
							 page->address);

	if (!block->pages++)
		block->address = page->address;
	tally_add(&counts->sites, site_of(ranking->view, touch));
	tally_add(&counts->threads,
		  touch && touch->thread < NUMA_UNKNOWN ? touch->thread : NUMA_UNKNOWN);
	counts->homes[page->home]++;
	for (uint32_t node = 0; node < uses->nodes; node++)
		counts->lines[node] += page->lines[node];
}

void numa_map(const struct numa_ranking *ranking, const struct numa_array *of, struct numa_map *out)
{
	const struct page_uses *uses = ranking->uses;
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

		add(ranking, of, page, &out->blocks[block], &counts[block]);
	}
	for (size_t i = 0; i < out->nr; i++) {
		out->blocks[i].home = node_of(counts[i].homes);
		out->blocks[i].user = node_of(counts[i].lines);
		out->blocks[i].site = tally_most(&counts[i].sites);
		out->blocks[i].thread = tally_most(&counts[i].threads);
	}
}

static bool has_several(const struct numa_map *map, bool sites)
{
	uint32_t first = NUMA_NOBODY;

	for (size_t i = 0; i < map->nr; i++) {
		uint32_t value = sites ? map->blocks[i].site : map->blocks[i].thread;

		if (value == NUMA_NOBODY)
			continue;
		if (first != NUMA_NOBODY && value != first)
			return true;
		first = value;
	}
	return false;
}

bool numa_map_has_sites(const struct numa_map *map)
{
	return has_several(map, true);
}

bool numa_map_has_threads(const struct numa_map *map)
{
	return has_several(map, false);
}
