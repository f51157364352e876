/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps addresses to clones. Texts only grow, so each has a list of clones by address, of which a
 * reader sees the published part.
 */
#define _GNU_SOURCE
#include <stdatomic.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/own_memory.h"
#include "ompt_tool/clones/clone_private.h"

/* A clone takes at least 64 bytes of text. Pages of the list are mapped when written. */
enum { SMALLEST_CLONE = 64 };

struct sheet {
	uintptr_t start, end;
	_Atomic size_t nr;
	const struct clone_data **clones;
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
	struct sheet *sheet = permanent_arena() ? arena_alloc(permanent_arena(), sizeof(*sheet))
						: NULL;
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

bool atlas_add(const struct clone_data *data)
{
	struct sheet *sheet = find_sheet(data->copy.code);
	size_t nr;

	if (!sheet)
		sheet = add_sheet(data->copy.text);
	if (!sheet)
		return false;
	nr = atomic_load(&sheet->nr);
	sheet->clones[nr] = data;
	atomic_store_explicit(&sheet->nr, nr + 1, memory_order_release);
	return true;
}

const struct clone_data *atlas_find(uintptr_t address)
{
	const struct sheet *sheet = find_sheet(address);
	size_t low = BISECT(i, sheet ? atomic_load_explicit(&sheet->nr, memory_order_acquire) : 0,
			    sheet->clones[i]->copy.code_end <= address);

	if (!sheet || low == atomic_load_explicit(&sheet->nr, memory_order_acquire))
		return NULL;
	return address >= sheet->clones[low]->copy.code ? sheet->clones[low] : NULL;
}

/* The last clone at or below the address; NULL: none. */
static const struct copy_place *find_place(const struct copy_place *places, size_t nr,
					   uintptr_t address)
{
	size_t low = BISECT(i, nr, places[i].copy <= address);

	return low ? &places[low - 1] : NULL;
}

/* Of several instructions at one place (unreachable ones and the next) the last one. */
static uintptr_t original_in_body(const struct clone_data *data, uint32_t offset)
{
	const struct unwind_place *places = data->copy.places;
	size_t low = BISECT(i, data->copy.nr_places, places[i].copy <= offset);

	return data->clone.start + (low ? places[low - 1].original : 0);
}

uintptr_t atlas_original(const struct clone_data *data, uintptr_t address)
{
	const struct copy *copy = &data->copy;
	const struct copy_place *place = find_place(copy->after_calls, copy->nr_after_calls,
						    address);

	if (place && place->copy == address)
		return place->original;
	place = find_place(copy->within, copy->nr_within, address);
	if (place && place->original)
		return place->original;
	if (address < copy->body_end)
		return original_in_body(data, (uint32_t)(address - copy->code));
	place = find_place(copy->behind, copy->nr_behind, address);
	return place ? place->original : data->clone.end;
}
