/* SPDX-License-Identifier: Apache-2.0 */
/* Consecutive pages of one first toucher. */
#include "ompt_tool/arrays/touch_ranges.h"

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/base/sort.h"
#include "ompt_tool/arrays/first_touch.h"

/* The pages of one array. */
struct pages {
	const struct page_slot *const *slots;
	size_t nr;
	uint64_t first, end; /* pages in the set are in between */
	uint64_t every;
};

static unsigned int lowest(uint64_t bits)
{
	return (unsigned int)__builtin_ctzll(bits);
}

static struct pages pages_of(const struct page_slot *const *slots, size_t nr)
{
	const struct page_slot *last = slots[nr - 1];

	return (struct pages){ slots, nr, page_slot_first(slots[0]) + lowest(slots[0]->pages),
			       page_slot_first(last) + PAGE_SLOT_PAGES -
				       (unsigned int)__builtin_clzll(last->pages),
			       1 };
}

/* The page that stands for its group. */
static uint64_t speaker(uint64_t page, uint64_t every)
{
	uint64_t group = page / every;

	return group * every + (hash_word(group) >> 32) % every;
}

/* Extends `last` by the pages that `page` stands for, or moves it there; true: it moved. */
static bool advance(const struct pages *pages, uint64_t page, uint32_t row,
		    struct touch_range *last)
{
	uint64_t low = page / pages->every * pages->every, high = low + pages->every;

	low = low > pages->first ? low : pages->first;
	high = high < pages->end ? high : pages->end;
	if (last->pages && last->row == row && last->page + last->pages == low) {
		last->pages = high - last->page;
		return false;
	}
	*last = (struct touch_range){ low, high - low, row };
	return true;
}

static bool append(struct arena *arena, struct touch_ranges *out, const struct touch_range *range)
{
	if (!range->pages)
		return true;
	if (!ARENA_GROW(arena, out->items, out->nr, out->room))
		return false;
	out->items[out->nr++] = *range;
	return true;
}

/* Returns the number of ranges; adds them unless `out` is NULL. SIZE_MAX: no memory. */
static size_t walk(const struct pages *pages, struct arena *arena, struct touch_ranges *out)
{
	struct touch_range last = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < pages->nr; i++) {
		uint64_t first = page_slot_first(pages->slots[i]);

		for (uint64_t bits = pages->slots[i]->pages; bits; bits &= bits - 1) {
			uint64_t page = first + lowest(bits);
			uint32_t row = page_slot_owner(pages->slots[i], lowest(bits));
			struct touch_range before = last;

			if (row == PAGE_OWNER_NONE ||
			    (pages->every > 1 && speaker(page, pages->every) != page) ||
			    !advance(pages, page, row, &last))
				continue;
			nr++;
			if (out && !append(arena, out, &before))
				return SIZE_MAX;
		}
	}
	return !out || append(arena, out, &last) ? nr : SIZE_MAX;
}

static bool add_array(const struct page_slot *const *slots, size_t nr, size_t most,
		      struct arena *arena, struct touch_ranges *out)
{
	struct pages pages = pages_of(slots, nr);
	size_t first = out->nr;

	while (walk(&pages, arena, NULL) > most)
		pages.every *= 2;
	if (walk(&pages, arena, out) == SIZE_MAX)
		return false;
	for (size_t i = first; i < out->nr; i++)
		out->every[out->items[i].row] = pages.every;
	return true;
}

static size_t arrays_in(const struct page_slot *const *slots, size_t nr)
{
	size_t arrays = 0;

	for (size_t i = 0; i < nr; i++)
		arrays += !i || page_slot_array(slots[i]) != page_slot_array(slots[i - 1]);
	return arrays;
}

static int by_row(const void *left, const void *right)
{
	const struct touch_range *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->page > b->page) - (a->page < b->page);
}

bool touch_ranges_of(struct arena *arena, const struct first_touches *touches,
		     struct touch_ranges *out)
{
	const struct page_slot **slots = page_set_sorted(&touches->seen, arena);
	size_t nr = touches->seen.nr, arrays = slots ? arrays_in(slots, nr) : 0,
	       most = TOUCH_RANGES_ALL / (arrays + 1);

	*out = (struct touch_ranges){ .every = arena_alloc(arena, (touches->nr + 1) *
									  sizeof(*out->every)) };
	most = most > TOUCH_RANGES_MOST    ? TOUCH_RANGES_MOST
	       : most < TOUCH_RANGES_LEAST ? TOUCH_RANGES_LEAST
					   : most;
	for (size_t i = 0, end; slots && out->every && i < nr; i = end) {
		for (end = i + 1;
		     end < nr && page_slot_array(slots[end]) == page_slot_array(slots[i]);)
			end++;
		if (!add_array(&slots[i], end - i, most, arena, out))
			return false;
	}
	if (out->nr)
		sort(out->items, out->nr, sizeof(*out->items), by_row);
	return slots && out->every;
}
