/* SPDX-License-Identifier: Apache-2.0 */
/* First touches by address. */
#include "analysis/numa/touched_pages.h"

#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/record/run.h"

struct range {
	uint32_t array;
	uint64_t low, pages;
	const struct run_touch *touch;
};

struct touched_pages {
	const struct run *run;
	size_t nr, room;
	struct range *ranges; /* by array, then by address */
};

static int by_array(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	return (a->low > b->low) - (a->low < b->low);
}

static bool add(struct touched_pages *pages, struct arena *arena, const struct run_touch *touch)
{
	for (size_t i = 0; touch->ranges && i < touch->nr_ranges; i++) {
		if (!ARENA_GROW(arena, pages->ranges, pages->nr, pages->room))
			return false;
		pages->ranges[pages->nr++] = (struct range){ touch->array, touch->ranges[i].address,
							     touch->ranges[i].pages, touch };
	}
	return true;
}

const struct touched_pages *touched_pages(struct arena *arena, const struct run *run)
{
	struct touched_pages *pages = arena_alloc(arena, sizeof(*pages));

	if (!pages)
		return NULL;
	pages->run = run;
	for (size_t i = 0; run->touching.page_bytes && i < run->nr_touches; i++)
		if (!add(pages, arena, &run->touches[i]))
			return NULL;
	if (pages->nr)
		sort(pages->ranges, pages->nr, sizeof(*pages->ranges), by_array);
	return pages;
}

/* The last range that begins at the address or before it; NULL: none of the array. */
static const struct range *range_before(const struct touched_pages *pages, uint32_t array,
					uint64_t address)
{
	size_t low = 0, high = pages->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct range *range = &pages->ranges[middle];

		if (range->array < array || (range->array == array && range->low <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return low && pages->ranges[low - 1].array == array ? &pages->ranges[low - 1] : NULL;
}

const struct run_touch *touched_pages_at(const struct touched_pages *pages, uint32_t array,
					 uint64_t address)
{
	const struct run *run = pages->run;
	const struct range *range = array < run->nr_arrays
					    ? range_before(pages,
							   run_array_declared(run->arrays, array),
							   address)
					    : NULL;

	return range && (address - range->low) / run->touching.page_bytes < range->pages
		       ? range->touch
		       : NULL;
}
