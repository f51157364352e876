/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of one experiment, each once. */
#include "analysis/search/request_set.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"

#define EMPTY UINT32_MAX

void request_set_init(struct request_set *set, struct arena *arena)
{
	*set = (struct request_set){ .arena = arena };
}

void request_set_clear(struct request_set *set)
{
	set->nr = 0;
	if (set->nr_slots)
		memset(set->slots, 0xff, set->nr_slots * sizeof(*set->slots));
}

static uint32_t *slot_of(const struct request_set *set, uint32_t metric, uint32_t region)
{
	size_t slot = hash_word((uint64_t)region << 8 ^ metric) >> 32 & (set->nr_slots - 1);

	while (set->slots[slot] != EMPTY && (set->items[set->slots[slot]].metric != metric ||
					     set->items[set->slots[slot]].region != region))
		slot = (slot + 1) & (set->nr_slots - 1);
	return &set->slots[slot];
}

static bool slots_reserve(struct request_set *set)
{
	size_t wanted = set->nr_slots ? set->nr_slots * 2 : 64;

	if (set->nr * 2 < set->nr_slots)
		return true;
	set->slots = arena_alloc(set->arena, wanted * sizeof(*set->slots));
	set->nr_slots = set->slots ? wanted : 0;
	if (!set->slots)
		return false;
	memset(set->slots, 0xff, wanted * sizeof(*set->slots));
	for (size_t i = 0; i < set->nr; i++)
		*slot_of(set, set->items[i].metric, set->items[i].region) = (uint32_t)i;
	return true;
}

bool request_covers(const struct ms_request *have, const struct ms_request *want)
{
	if (!(want->flags & MS_REQUEST_SUBREGIONS))
		return true;
	if (!(have->flags & MS_REQUEST_SUBREGIONS))
		return false;
	return !have->kinds || (want->kinds && !(want->kinds & ~have->kinds));
}

bool request_set_has(const struct request_set *set, const struct ms_request *request)
{
	uint32_t at = set->nr_slots ? *slot_of(set, request->metric, request->region) : EMPTY;

	return at != EMPTY && request_covers(&set->items[at], request);
}

static void merge(struct ms_request *into, const struct ms_request *request)
{
	if (request_covers(into, request))
		return;
	into->kinds = (into->flags & MS_REQUEST_SUBREGIONS) && request->kinds
			      ? into->kinds | request->kinds
			      : request->kinds;
	into->flags |= request->flags;
}

bool request_set_add(struct request_set *set, const struct ms_request *request)
{
	uint32_t *slot;

	if (!slots_reserve(set))
		return false;
	slot = slot_of(set, request->metric, request->region);
	if (*slot != EMPTY) {
		merge(&set->items[*slot], request);
		return true;
	}
	if (!ARENA_GROW(set->arena, set->items, set->nr, set->room))
		return false;
	set->items[set->nr] = *request;
	*slot = (uint32_t)set->nr++;
	return true;
}
