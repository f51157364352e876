/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/differential/name_pool.h"

#include <stdbool.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"

#define FIRST_BITS 8

uint64_t names_hash(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text ? text : "", strlen(text ? text : "") + 1);
}

static const char **place_of(const struct names *names, const char *text)
{
	size_t mask = ((size_t)1 << names->bits) - 1,
	       at = hash_place(names_hash(HASH_START, text), names->bits);

	while (names->table[at] && strcmp(names->table[at], text) != 0)
		at = (at + 1) & mask;
	return &names->table[at];
}

/* At most half of the table is in use. */
static bool make_room(struct names *names)
{
	struct names larger = *names;
	size_t room = names->bits ? (size_t)1 << names->bits : 0;

	if (names->nr < room / 2)
		return true;
	larger.bits = names->bits ? names->bits + 1 : FIRST_BITS;
	larger.table = arena_alloc(names->arena, sizeof(*larger.table) << larger.bits);
	if (!larger.table)
		return false;
	for (size_t i = 0; i < room; i++)
		if (names->table[i])
			*place_of(&larger, names->table[i]) = names->table[i];
	*names = larger;
	return true;
}

const char *names_copy(struct names *names, const char *text)
{
	const char **place, *copy;

	if (!text || !*text || !make_room(names))
		return "";
	place = place_of(names, text);
	if (*place)
		return *place;
	copy = arena_strdup(names->arena, text);
	if (!copy)
		return "";
	*place = copy;
	names->nr++;
	return copy;
}
