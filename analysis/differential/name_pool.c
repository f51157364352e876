/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/differential/name_pool.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"

uint64_t names_hash(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text ? text : "", strlen(text ? text : "") + 1);
}

const char *names_copy(struct names *names, const char *text)
{
	uint64_t hash = names_hash(HASH_START, text);
	struct index_slot *slot;
	char *copy;

	if (!text || !*text || !index_reserve(&names->index, names->arena) ||
	    !ARENA_GROW(names->arena, names->texts, names->nr, names->room))
		return "";
	slot = index_first(&names->index, hash);
	while (slot->row && strcmp(names->texts[slot->row - 1], text) != 0)
		slot = index_next(&names->index, slot);
	if (slot->row)
		return names->texts[slot->row - 1];
	copy = arena_strdup(names->arena, text);
	if (!copy)
		return "";
	names->texts[names->nr] = copy;
	index_enter(&names->index, slot, hash, (uint32_t)names->nr++);
	return copy;
}
