/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_INDEX_TABLE_H
#define MEMSEARCH_BASE_INDEX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/hash.h"

/*
 * Finds rows of a table by the hash of their keys: open addressing, at most half full, in an arena.
 * The caller owns the rows and compares keys:
 *
 *     if (!index_reserve(&table, arena))
 *             return NO_MEMORY;
 *     slot = index_first(&table, hash);
 *     while (slot->row && !is_same(&rows[slot->row - 1], key))
 *             slot = index_next(&table, slot);
 *     if (!slot->row)
 *             index_enter(&table, slot, hash, new_row);
 *
 * A single row cannot be removed. All zero: an empty table. Not for callbacks and clones, which have
 * tables without allocation or locks (gomp/, clones/entry_table.h), nor for the simulator, whose
 * tables have rows inside (simulator/lookup.h).
 */
struct arena;

struct index_slot {
	uint64_t hash;
	uint32_t row; /* number + 1; 0: free */
};

struct index_table {
	struct index_slot *slots; /* 2^bits; NULL: none */
	size_t nr;                /* rows in it */
	unsigned int bits;
};

/* Makes room for one more row; before index_first. False: no memory, the table is unchanged. */
bool index_reserve(struct index_table *table, struct arena *arena);
/* Removes all rows and keeps the memory. */
void index_clear(struct index_table *table);

static inline struct index_slot *index_from(const struct index_table *table, size_t at,
					    uint64_t hash)
{
	size_t mask = ((size_t)1 << table->bits) - 1;

	while (table->slots[at & mask].row && table->slots[at & mask].hash != hash)
		at++;
	return &table->slots[at & mask];
}

/* The first row with that hash, or a free slot. */
static inline struct index_slot *index_first(const struct index_table *table, uint64_t hash)
{
	return index_from(table, hash_place(hash, table->bits), hash);
}

/* The next one with the hash of `slot`, or a free slot. */
static inline struct index_slot *index_next(const struct index_table *table,
					    const struct index_slot *slot)
{
	return index_from(table, (size_t)(slot - table->slots) + 1, slot->hash);
}

/* Fills the free slot that index_first or index_next returned. */
static inline void index_enter(struct index_table *table, struct index_slot *slot, uint64_t hash,
			       uint32_t row)
{
	*slot = (struct index_slot){ .hash = hash, .row = row + 1 };
	table->nr++;
}

#endif
