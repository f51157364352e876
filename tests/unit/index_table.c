/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by hash: growth, equal hashes of different keys, clearing. */
#include "analysis/base/arena.h"
#include "analysis/base/index_table.h"
#include "tests/unit/test.h"

#define KEYS 5000

static uint32_t keys[KEYS];
static size_t nr;

/* Seven keys share each hash. */
static uint64_t hash_of(uint32_t key)
{
	return key / 7;
}

static struct index_slot *slot_of(const struct index_table *table, uint32_t key)
{
	struct index_slot *slot = index_first(table, hash_of(key));

	while (slot->row && keys[slot->row - 1] != key)
		slot = index_next(table, slot);
	return slot;
}

static void enter_all(struct index_table *table, struct arena *arena)
{
	for (uint32_t key = 0; key < KEYS; key++) {
		struct index_slot *slot;

		CHECK(index_reserve(table, arena));
		slot = slot_of(table, key);
		CHECK(!slot->row);
		keys[nr] = key;
		index_enter(table, slot, hash_of(key), (uint32_t)nr++);
	}
}

TEST(index_table__finds_rows_with_equal_hashes)
{
	struct arena *arena = arena_new();
	struct index_table table = { 0 };

	enter_all(&table, arena);
	CHECK_INT(table.nr, KEYS);
	for (uint32_t key = 0; key < KEYS; key++)
		CHECK_INT(slot_of(&table, key)->row, key + 1);
	CHECK(!slot_of(&table, KEYS + 7)->row);
	arena_free(arena);
}

TEST(index_table__is_empty_after_clearing)
{
	struct arena *arena = arena_new();
	struct index_table table = { 0 };

	index_clear(&table);
	enter_all(&table, arena);
	index_clear(&table);
	CHECK_INT(table.nr, 0);
	for (uint32_t key = 0; key < KEYS; key++)
		CHECK(!slot_of(&table, key)->row);
	nr = 0;
	enter_all(&table, arena);
	CHECK_INT(slot_of(&table, KEYS - 1)->row, KEYS);
	arena_free(arena);
}
