/* SPDX-License-Identifier: Apache-2.0 */
/* The program's mappings, in the order of their addresses. */
#include "ompt_tool/arrays/mappings.h"

#include <string.h>

#include "analysis/base/bisect.h"
#include "analysis/base/reserve.h"
#include "analysis/base/spin.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/heap.h"

/* the kernel's own limit for a process, vm.max_map_count */
#define MAPPINGS_MAX (1u << 16)

struct mapping {
	uintptr_t start, end;
	uint32_t array;
};

/*
 * From the highest address to the lowest, since Linux maps downwards: a new one is mostly the last.
 * Zeroed in a fork's child.
 */
static struct mappings {
	int locked;
	uint32_t nr;
	uint64_t lost;
	struct mapping items[MAPPINGS_MAX];
} *mappings;

bool mappings_start(void)
{
	mappings = reserve(sizeof(*mappings));
	return mappings != NULL;
}

/* False: not acquired, this change is lost. */
static bool lock(void)
{
	bool locked = spin_lock_within(&mappings->locked, SPIN_TRIES);

	if (!locked)
		__atomic_fetch_add(&mappings->lost, 1, __ATOMIC_RELAXED);
	return locked;
}

static void unlock(void)
{
	spin_unlock(&mappings->locked);
}

/* The first that begins below `address`. */
static uint32_t position(uintptr_t address)
{
	return (uint32_t)BISECT(i, mappings->nr, mappings->items[i].start >= address);
}

static void insert(uint32_t array, uintptr_t start, uintptr_t end)
{
	uint32_t at = position(start);
	struct mapping *place = &mappings->items[at];

	if (array == ARRAY_NONE || mappings->nr == MAPPINGS_MAX) {
		mappings->lost += array != ARRAY_NONE;
		return;
	}
	memmove(place + 1, place, (mappings->nr - at) * sizeof(*place));
	*place = (struct mapping){ start, end, array };
	mappings->nr++;
	array_block_add(array, start, end - start);
}

static struct mapping take_out(uint32_t at)
{
	struct mapping *place = &mappings->items[at], gone = *place;
	uint64_t bytes;

	memmove(place, place + 1, (mappings->nr - at - 1) * sizeof(*place));
	mappings->nr--;
	array_block_remove(gone.start, &bytes);
	return gone;
}

static void keep_piece(struct heap_torn *torn, const struct mapping *gone)
{
	if (torn->nr < HEAP_PIECES)
		torn->pieces[torn->nr++] = (struct heap_gone){ .start = gone->start,
							       .bytes = gone->end - gone->start,
							       .array = gone->array };
}

/* Mappings do not overlap each other, so those that overlap the range are consecutive. */
static void tear(uintptr_t low, uintptr_t high, struct heap_torn *torn)
{
	uint32_t at = position(high);

	while (at < mappings->nr && mappings->items[at].end > low) {
		struct mapping gone = take_out(at);

		keep_piece(torn, &gone);
		if (gone.end > high)
			insert(gone.array, high, gone.end);
		if (gone.start < low)
			insert(gone.array, gone.start, low);
		at = position(high);
		if (gone.start < low)
			return;
	}
}

void mappings_add(uint32_t array, uintptr_t start, uint64_t bytes)
{
	struct heap_torn missed = { .nr = 0 };

	if (!lock())
		return;
	tear(start, start + bytes, &missed); /* mappings whose removal was missed */
	insert(array, start, start + bytes);
	unlock();
}

void mappings_tear(uintptr_t start, uint64_t bytes, struct heap_torn *torn)
{
	torn->nr = 0;
	if (!lock())
		return;
	tear(start, start + bytes, torn);
	unlock();
}

void mappings_put_back(const struct heap_torn *torn)
{
	struct heap_torn rests = { .nr = 0 };

	if (!lock())
		return;
	for (uint32_t i = 0; i < torn->nr; i++) {
		const struct heap_gone *piece = &torn->pieces[i];

		tear(piece->start, piece->start + piece->bytes, &rests);
		insert(piece->array, piece->start, piece->start + piece->bytes);
	}
	unlock();
}

uint64_t mappings_lost(void)
{
	return mappings ? mappings->lost : 0;
}
