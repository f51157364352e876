/* SPDX-License-Identifier: Apache-2.0 */
/* Hash map with pairs as keys. */
#include "analysis/counting/pair_map.h"

#include "analysis/base/arena.h"

uint32_t *pair_map_value(struct arena *arena, struct pair_map *map, uint64_t high, uint64_t low)
{
	uint64_t hash = hash_word(high) ^ low;
	struct index_slot *slot;

	if (!index_reserve(&map->index, arena) ||
	    !ARENA_GROW(arena, map->entries, map->nr, map->room))
		return NULL;
	slot = index_first(&map->index, hash);
	while (slot->row &&
	       (map->entries[slot->row - 1].high != high || map->entries[slot->row - 1].low != low))
		slot = index_next(&map->index, slot);
	if (!slot->row) {
		map->entries[map->nr] = (struct pair_map_entry){ .high = high, .low = low };
		index_enter(&map->index, slot, hash, (uint32_t)map->nr++);
	}
	return &map->entries[slot->row - 1].value;
}
