/* SPDX-License-Identifier: Apache-2.0 */
/* Live blocks of the table of arrays, and the nodes of their pages. */
#include "ompt_tool/placement/placement_map.h"

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "ompt_tool/arrays/array.h"

struct finding {
	struct arena *arena;
	struct placed_blocks *found;
	bool full;
};

static bool is_placed(const struct array *array)
{
	return array && array->kind != ARRAY_STACK && array->kind != ARRAY_THREAD_PRIVATE &&
	       !array_is_scalar(array);
}

static void find(void *ctx, const struct blocks_row *row)
{
	struct finding *finding = ctx;
	struct placed_blocks *found = finding->found;

	if (row->died != BLOCKS_LIVE || !row->bytes || !is_placed(array_get(row->array)))
		return;
	if (!ARENA_GROW(finding->arena, found->items, found->nr, found->room)) {
		finding->full = true;
		return;
	}
	found->items[found->nr++] = (struct placed_block){ row->array, row->start, row->bytes };
}

static int by_array(const void *left, const void *right)
{
	const struct placed_block *a = left, *b = right;

	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

bool placement_blocks(struct arena *arena, struct placed_blocks *out)
{
	struct finding finding = { arena, out, false };

	array_blocks_each(0, find, &finding);
	sort(out->items, out->nr, sizeof(*out->items), by_array);
	return !finding.full;
}

static size_t end_of_array(const struct placed_blocks *found, size_t first)
{
	size_t end = first;

	while (end < found->nr && found->items[end].array == found->items[first].array)
		end++;
	return end;
}

/* Number of pages of blocks [first, end); 0: less than a page in total. */
static uint64_t pages_of(const struct page_nodes *nodes, const struct placed_blocks *found,
			 size_t first, size_t end)
{
	uint64_t bytes = 0;

	for (size_t i = first; i < end; i++)
		bytes += found->items[i].bytes;
	return bytes / nodes->page_bytes;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Number of pages to query, with at most `each` per array. */
static uint64_t wanted(const struct page_nodes *nodes, const struct placed_blocks *found,
		       uint64_t each)
{
	uint64_t sum = 0;

	for (size_t i = 0, end; i < found->nr; i = end) {
		end = end_of_array(found, i);
		sum += least(pages_of(nodes, found, i, end), each);
	}
	return sum;
}

static uint64_t pages_each(const struct page_nodes *nodes, const struct placed_blocks *found,
			   uint64_t most)
{
	uint64_t each = PLACEMENT_PAGES_OF_ARRAY;

	while (each > PLACEMENT_PAGES_LEAST && wanted(nodes, found, each) > most)
		each /= 2;
	return each;
}

/* Blocks [first, end) belong to one array. A page that small blocks share is queried once. */
static bool map_array(struct page_nodes *nodes, struct arena *arena,
		      const struct placed_blocks *found, size_t first, size_t end,
		      struct run_placement *to)
{
	struct page_stretches stretches = { 0 };
	uint64_t before = nodes->asked, last = 0;
	bool ok = true;

	for (size_t i = first; i < end && ok; i++) {
		uint64_t low = found->items[i].start / nodes->page_bytes * nodes->page_bytes,
			 high = found->items[i].start + found->items[i].bytes;

		low = low < last ? last : low;
		if (high <= low)
			continue;
		ok = page_nodes_ask(nodes, arena, low, high, to->every, &stretches);
		last = (high + nodes->page_bytes - 1) / nodes->page_bytes * nodes->page_bytes;
	}
	to->asked = nodes->asked - before;
	to->stretches = stretches.items;
	to->nr_stretches = stretches.nr;
	return ok;
}

static bool map_arrays(struct page_nodes *nodes, struct arena *arena,
		       const struct placed_blocks *found, uint64_t each, struct placement_map *out)
{
	for (size_t i = 0, end; i < found->nr; i = end) {
		uint64_t pages;
		struct run_placement *to;

		end = end_of_array(found, i);
		pages = pages_of(nodes, found, i, end);
		if (!pages)
			continue;
		if (!ARENA_GROW(arena, out->items, out->nr, out->room))
			return false;
		to = &out->items[out->nr];
		*to = (struct run_placement){ .array = found->items[i].array,
					      .every = (pages + each - 1) / each,
					      .huge_bytes = RUN_HUGE_UNKNOWN };
		if (!map_array(nodes, arena, found, i, end, to))
			return false;
		out->nr++;
	}
	return true;
}

bool placement_map(struct page_nodes *nodes, struct arena *arena, uint64_t most,
		   struct placement_map *out)
{
	struct arena *scratch = arena_new();
	struct placed_blocks found = { 0 };
	bool ok = scratch && placement_blocks(scratch, &found) &&
		  map_arrays(nodes, arena, &found, pages_each(nodes, &found, most), out);

	arena_free(scratch);
	return ok;
}
