/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of one experiment, each once. */
#include "analysis/search/request_set.h"

#include "analysis/base/arena.h"

void request_set_init(struct request_set *set, struct arena *arena)
{
	*set = (struct request_set){ .arena = arena };
}

void request_set_clear(struct request_set *set)
{
	set->nr = 0;
	index_clear(&set->index);
}

static uint64_t hash_of(uint32_t metric, uint32_t region)
{
	return (uint64_t)region << 8 ^ metric;
}

static struct index_slot *slot_of(const struct request_set *set, uint32_t metric, uint32_t region)
{
	struct index_slot *slot = index_first(&set->index, hash_of(metric, region));

	while (slot->row && (set->items[slot->row - 1].metric != metric ||
			     set->items[slot->row - 1].region != region))
		slot = index_next(&set->index, slot);
	return slot;
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
	uint32_t row = set->nr ? slot_of(set, request->metric, request->region)->row : 0;

	return row && request_covers(&set->items[row - 1], request);
}

static void merge(struct ms_request *into, const struct ms_request *request)
{
	if (into->interval != request->interval)
		into->interval = MS_INTERVAL_WHOLE;
	if (request_covers(into, request))
		return;
	into->kinds = (into->flags & MS_REQUEST_SUBREGIONS) && request->kinds
			      ? into->kinds | request->kinds
			      : request->kinds;
	into->flags |= request->flags;
}

bool request_set_add(struct request_set *set, const struct ms_request *request)
{
	struct index_slot *slot;

	if (!index_reserve(&set->index, set->arena))
		return false;
	slot = slot_of(set, request->metric, request->region);
	if (slot->row) {
		merge(&set->items[slot->row - 1], request);
		return true;
	}
	if (!ARENA_GROW(set->arena, set->items, set->nr, set->room))
		return false;
	set->items[set->nr] = *request;
	index_enter(&set->index, slot, hash_of(request->metric, request->region),
		    (uint32_t)set->nr++);
	return true;
}
