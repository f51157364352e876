/* SPDX-License-Identifier: Apache-2.0 */
/* Searches gaps between mappings. */
#define _GNU_SOURCE
#include "ompt_tool/clones/gaps.h"

#include <unistd.h>

#include "analysis/base/memory_map.h"

struct search {
	uintptr_t address, reach, best;
	uintptr_t program_break; /* the heap grows there: addresses above it are avoided */
	uintptr_t above_break;   /* the farthest place in that gap; 0: none */
	size_t bytes;
	uintptr_t last_end; /* of the mapping before */
};

/*
 * mmap_min_addr is 64 KiB nearly everywhere. What lies above a mapping stays free for 64 MiB, as
 * the heap grows there.
 */
enum { LOWEST = 64 << 10, HEAP_ROOM = 64 << 20, GUARD = 64 << 10 };
/* vsyscall and the like lie above */
static const uintptr_t user_space_end = (uintptr_t)1 << 47;

static uintptr_t distance(uintptr_t a, uintptr_t b)
{
	return a < b ? b - a : a - b;
}

static void offer(struct search *search, uintptr_t begin, uintptr_t end, uintptr_t at)
{
	at &= ~(uintptr_t)4095;
	if (at < begin || at > end || end - at < search->bytes)
		return;
	if (distance(at, search->address) >= search->reach ||
	    distance(at + search->bytes, search->address) >= search->reach)
		return;
	if (!search->best ||
	    distance(at, search->address) < distance(search->best, search->address))
		search->best = at;
}

/*
 * At the highest address in reach, and only without another gap: the program may extend its heap
 * itself (sbrk).
 */
static void offer_above_break(struct search *search, uintptr_t begin, uintptr_t end)
{
	uintptr_t reached = search->address + search->reach - search->bytes - 4096,
		  at = end - GUARD - search->bytes;

	at = (at < reached ? at : reached) & ~(uintptr_t)4095;
	if (at > begin && distance(at, search->address) < search->reach)
		search->above_break = at;
}

/* In a gap: at its end, below a mapping that grows up; or near its begin, with space left. */
static void search_gap(struct search *search, uintptr_t begin, uintptr_t end)
{
	if (begin < LOWEST)
		begin = LOWEST;
	if (end < begin || end - begin < search->bytes + GUARD)
		return;
	if (search->program_break >= begin && search->program_break < end) {
		offer_above_break(search, begin, end);
		return;
	}
	offer(search, begin, end, end - GUARD - search->bytes);
	if (end - begin > HEAP_ROOM)
		offer(search, begin, end, begin + HEAP_ROOM + 4095);
}

static bool look_below(void *ctx, const struct memory_mapping *mapping)
{
	struct search *search = ctx;

	if (mapping->low < user_space_end) {
		search_gap(search, search->last_end, mapping->low);
		search->last_end = mapping->high;
	}
	return true;
}

uintptr_t gaps_near(uintptr_t address, size_t bytes, uintptr_t reach)
{
	struct search search = { .address = address,
				 .reach = reach,
				 .bytes = bytes,
				 .program_break = (uintptr_t)sbrk(0) };

	if (memory_map_visit(look_below, &search))
		return 0;
	search_gap(&search, search.last_end, user_space_end - (64 << 10));
	return search.best ? search.best : search.above_break;
}
