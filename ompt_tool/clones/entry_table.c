/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock-free hash table: a row's value is written before its key, so that a reader of the key sees
 * the value.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/entry_table.h"

#include <stdatomic.h>
#include <stddef.h>

#include "analysis/base/own_memory.h"

enum { FIRST_ROWS = 1024 };

struct entries *_Atomic entries_by_probes[ENTRIES_PROBES];
_Atomic uintptr_t entries_missed[ENTRIES_MISSED];
uint32_t entries_paused;

void entries_miss(uintptr_t target)
{
	uint32_t place = (uint32_t)target * (uint32_t)ENTRIES_FACTOR >> (32 - ENTRIES_MISSED_BITS);

	atomic_store_explicit(&entries_missed[place], target, memory_order_relaxed);
}

static struct entry *find(struct entries *table, uintptr_t key)
{
	uint64_t at = (uint32_t)key * (uint32_t)ENTRIES_FACTOR >> ENTRIES_SHIFT;

	for (;; at += sizeof(struct entry)) {
		struct entry *row;
		uintptr_t found;

		at &= table->mask_bytes;
		row = (struct entry *)((char *)table->rows + at);
		found = atomic_load_explicit(&row->key, memory_order_acquire);
		if (found == key || !found)
			return row;
	}
}

static struct entries *entries_new(uint64_t rows)
{
	struct entries *table = own_memory(sizeof(*table) + rows * sizeof(struct entry), 0);

	if (!table)
		return NULL;
	table->mask_bytes = (rows - 1) * sizeof(struct entry);
	return table;
}

static void put(struct entries *table, uintptr_t key, uintptr_t value)
{
	struct entry *row = find(table, key);

	atomic_store_explicit(&row->value, value, memory_order_relaxed);
	if (!atomic_load_explicit(&row->key, memory_order_relaxed))
		table->nr++;
	atomic_store_explicit(&row->key, key, memory_order_release);
}

static struct entries *grow(struct entries *old)
{
	uint64_t rows = old ? (old->mask_bytes / sizeof(struct entry) + 1) * 4 : FIRST_ROWS;
	struct entries *table = entries_new(rows);

	for (uint64_t i = 0; table && old && i <= old->mask_bytes / sizeof(struct entry); i++)
		if (old->rows[i].key)
			put(table, old->rows[i].key, old->rows[i].value);
	return table;
}

bool entries_set(struct entries *_Atomic *published, uintptr_t key, uintptr_t value)
{
	struct entries *table = atomic_load(published);

	if (!table || table->nr * 2 >= table->mask_bytes / sizeof(struct entry)) {
		table = grow(table);
		if (!table)
			return false;
		put(table, key, value);
		atomic_store_explicit(published, table, memory_order_release);
		return true;
	}
	put(table, key, value);
	return true;
}

uintptr_t entries_get(struct entries *_Atomic *published, uintptr_t key)
{
	struct entries *table = atomic_load_explicit(published, memory_order_acquire);
	struct entry *row = table ? find(table, key) : NULL;

	return row && row->key == key ? row->value : 0;
}
