/* SPDX-License-Identifier: Apache-2.0 */
/* Grows and clears tables of row numbers. */
#include "analysis/base/index_table.h"

#include <string.h>

#include "analysis/base/arena.h"

#define FIRST_BITS 6

static size_t room_of(const struct index_table *table)
{
	return table->slots ? (size_t)1 << table->bits : 0;
}

static void copy_slot(struct index_table *table, const struct index_slot *slot)
{
	size_t mask = room_of(table) - 1, at = hash_place(slot->hash, table->bits);

	while (table->slots[at].row)
		at = (at + 1) & mask;
	table->slots[at] = *slot;
}

bool index_reserve(struct index_table *table, struct arena *arena)
{
	struct index_table larger = *table;
	size_t room = room_of(table);

	if (table->nr < room / 2)
		return true;
	larger.bits = room ? table->bits + 1 : FIRST_BITS;
	larger.slots = arena_alloc(arena, sizeof(*larger.slots) << larger.bits);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < room; i++)
		if (table->slots[i].row)
			copy_slot(&larger, &table->slots[i]);
	*table = larger;
	return true;
}

void index_clear(struct index_table *table)
{
	if (table->slots)
		memset(table->slots, 0, room_of(table) * sizeof(*table->slots));
	table->nr = 0;
}
