/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From addresses in clones to the clones. Texts only grow, so each has a list of clones in the order of their addresses,
 * and a reader sees the part of it that was complete when it looked.
 */
#define _GNU_SOURCE
#include <stdatomic.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/own_memory.h"
#include "ompt_tool/clones/made.h"

/* A clone takes 64 bytes of text at least. The list's pages come into being as they are written. */
enum { SMALLEST_CLONE = 64 };

struct sheet {
	uintptr_t start, end;
	_Atomic size_t nr;
	const struct made **clones;
	struct sheet *next;
};
static struct sheet *_Atomic sheets;

static struct sheet *find_sheet(uintptr_t address)
{
	struct sheet *sheet = atomic_load_explicit(&sheets, memory_order_acquire);

	while (sheet && (address < sheet->start || address >= sheet->end))
		sheet = sheet->next;
	return sheet;
}

static struct sheet *add_sheet(const struct text *text)
{
	struct sheet *sheet = notes_arena() ? arena_alloc(notes_arena(), sizeof(*sheet)) : NULL;
	void *list = own_memory(text->room / SMALLEST_CLONE * sizeof(sheet->clones[0]), 0);

	if (!sheet || !list)
		return NULL;
	sheet->start = text->run;
	sheet->end = text->run + text->room;
	sheet->clones = list;
	sheet->next = atomic_load(&sheets);
	atomic_store_explicit(&sheets, sheet, memory_order_release);
	return sheet;
}

bool atlas_add(const struct made *made)
{
	struct sheet *sheet = find_sheet(made->copy.code);
	size_t nr;

	if (!sheet)
		sheet = add_sheet(made->copy.text);
	if (!sheet)
		return false;
	nr = atomic_load(&sheet->nr);
	sheet->clones[nr] = made;
	atomic_store_explicit(&sheet->nr, nr + 1, memory_order_release);
	return true;
}

const struct made *atlas_find(uintptr_t address)
{
	const struct sheet *sheet = find_sheet(address);
	size_t low = BISECT(i, sheet ? atomic_load_explicit(&sheet->nr, memory_order_acquire) : 0, sheet->clones[i]->copy.code_end <= address);

	if (!sheet || low == atomic_load_explicit(&sheet->nr, memory_order_acquire))
		return NULL;
	return address >= sheet->clones[low]->copy.code ? sheet->clones[low] : NULL;
}

/* The last row whose copy does not lie above the address; NULL: all do. */
static const struct copy_place *find_place(const struct copy_place *places, size_t nr, uintptr_t address)
{
	size_t low = BISECT(i, nr, places[i].copy <= address);

	return low ? &places[low - 1] : NULL;
}

/* Of instructions with one place, those not reachable and the one behind them, it is the last. */
static uintptr_t original_in_body(const struct made *made, uint32_t offset)
{
	const struct unwind_place *places = made->copy.places;
	size_t low = BISECT(i, made->copy.nr_places, places[i].copy <= offset);

	return made->clone.start + (low ? places[low - 1].original : 0);
}

uintptr_t atlas_original(const struct made *made, uintptr_t address)
{
	const struct copy *copy = &made->copy;
	const struct copy_place *place = find_place(copy->after_calls, copy->nr_after_calls, address);

	if (place && place->copy == address)
		return place->original;
	place = find_place(copy->within, copy->nr_within, address);
	if (place && place->original)
		return place->original;
	if (address < copy->body_end)
		return original_in_body(made, (uint32_t)(address - copy->code));
	place = find_place(copy->behind, copy->nr_behind, address);
	return place ? place->original : made->clone.end;
}
