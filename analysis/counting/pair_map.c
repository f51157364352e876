/* SPDX-License-Identifier: Apache-2.0 */
/* Hash map with pairs as keys. */
#include "analysis/counting/pair_map.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"

#define ROOM_FIRST 64 /* a power of two */

static struct pair_map_entry *entry_of(const struct pair_map *map, uint64_t high, uint64_t low)
{
	size_t at = (size_t)(hash_word(hash_word(high) ^ low) >> 32);

	for (;; at++) {
		struct pair_map_entry *entry = &map->entries[at & (map->room - 1)];

		if (!entry->used || (entry->high == high && entry->low == low))
			return entry;
	}
}

static bool grow(struct arena *arena, struct pair_map *map)
{
	struct pair_map more = { .nr = map->nr, .room = map->room ? 2 * map->room : ROOM_FIRST };

	more.entries = arena_alloc(arena, more.room * sizeof(*more.entries));
	if (!more.entries)
		return false;
	memset(more.entries, 0, more.room * sizeof(*more.entries));
	for (size_t i = 0; i < map->room; i++)
		if (map->entries[i].used)
			*entry_of(&more, map->entries[i].high,
				  map->entries[i].low) = map->entries[i];
	*map = more;
	return true;
}

uint32_t *pair_map_value(struct arena *arena, struct pair_map *map, uint64_t high, uint64_t low)
{
	struct pair_map_entry *entry;

	if (2 * (map->nr + 1) > map->room && !grow(arena, map))
		return NULL;
	entry = entry_of(map, high, low);
	if (!entry->used) {
		*entry = (struct pair_map_entry){ high, low, 0, true };
		map->nr++;
	}
	return &entry->value;
}
