/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table in mapped memory with a budget. */
#define _DEFAULT_SOURCE
#include "analysis/simulator/lookup.h"

#include <string.h>
#include <sys/mman.h>

#include "analysis/base/own_memory.h"

#define FIRST_ROOM 256
#define HUGE_BYTES ((size_t)4 << 20) /* from this size on huge pages pay off */

void lookup_init(struct lookup *lookup, size_t row_bytes, size_t *budget)
{
	*lookup = (struct lookup){ .row_bytes = row_bytes, .budget = budget };
}

size_t lookup_bytes(const struct lookup *lookup)
{
	return lookup->room * lookup->row_bytes;
}

void lookup_release(struct lookup *lookup)
{
	if (lookup->room)
		own_memory_give_back(lookup->rows, lookup_bytes(lookup));
	if (lookup->budget)
		*lookup->budget += lookup_bytes(lookup);
	lookup->rows = NULL;
	lookup->nr = lookup->room = 0;
}

static bool grown(const struct lookup *lookup, size_t room, struct lookup *grown_out)
{
	*grown_out = *lookup;
	grown_out->nr = 0;
	grown_out->room = room;
	grown_out->shift = 64 - (unsigned)__builtin_ctzll(room);
	if (lookup->budget && *lookup->budget < room * lookup->row_bytes)
		return false;
	grown_out->rows = own_memory(room * lookup->row_bytes, 0);
	if (!grown_out->rows)
		return false;
	if (room * lookup->row_bytes >= HUGE_BYTES)
		madvise(grown_out->rows, room * lookup->row_bytes, MADV_HUGEPAGE);
	if (lookup->budget)
		*lookup->budget -= room * lookup->row_bytes;
	return true;
}

static void *place(struct lookup *lookup, uint64_t key)
{
	size_t at = lookup_place(lookup, key);

	while (*(uint64_t *)lookup_row(lookup, at))
		at = (at + 1) & (lookup->room - 1);
	lookup->nr++;
	*(uint64_t *)lookup_row(lookup, at) = key + 1;
	return lookup_row(lookup, at);
}

bool lookup_rebuild(struct lookup *lookup, size_t room, bool (*keep)(void *ctx, void *row),
		    void *ctx)
{
	struct lookup next;

	if (!grown(lookup, room, &next))
		return false;
	for (size_t at = 0; at < lookup->room; at++) {
		uint64_t *row = lookup_row(lookup, at);

		if (*row && (!keep || keep(ctx, row)))
			memcpy(place(&next, *row - 1), row, lookup->row_bytes);
	}
	lookup_release(lookup);
	*lookup = next;
	return true;
}

/*
 * Grows faster while it is small: untouched pages take no memory, and unmapping interrupts the
 * program's other threads.
 */
static size_t next_room(const struct lookup *lookup)
{
	return !lookup->room                           ? FIRST_ROOM
	       : lookup_bytes(lookup) < HUGE_BYTES / 4 ? lookup->room * 4
						       : lookup->room * 2;
}

void *lookup_add(struct lookup *lookup, uint64_t key)
{
	if (lookup->nr >= lookup->room / 2 &&
	    !lookup_rebuild(lookup, next_room(lookup), NULL, NULL) &&
	    lookup->nr >= lookup->room - lookup->room / 8)
		return NULL;
	return place(lookup, key);
}
