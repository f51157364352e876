/* SPDX-License-Identifier: Apache-2.0 */
/* A set of (array, page) with owners, 64 pages a slot. */
#include "ompt_tool/arrays/page_set.h"

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"

/* 57 address bits, less page (12) and position in the slot (6) */
#define GROUP_BITS 39

/* Different for each slot, so that it is its own hash. */
static uint64_t key_of(uint32_t array, uint64_t page)
{
	return (uint64_t)array << GROUP_BITS | page >> 6;
}

struct page_slot *page_set_add(struct page_set *set, uint32_t array, uint64_t page)
{
	uint64_t key = key_of(array, page), bit = 1ull << (page & 63);
	struct index_slot *found;
	struct page_slot *slot;

	if (!index_reserve(&set->index, set->arena) ||
	    !ARENA_GROW(set->arena, set->slots, set->nr, set->room))
		return NULL;
	found = index_first(&set->index, key);
	if (!found->row) {
		set->slots[set->nr] = (struct page_slot){ .key = key, .owner = PAGE_OWNER_NONE };
		index_enter(&set->index, found, key, (uint32_t)set->nr++);
	}
	slot = &set->slots[found->row - 1];
	if (slot->pages & bit)
		return NULL;
	slot->pages |= bit;
	return slot;
}

bool page_set_has(const struct page_set *set, uint32_t array, uint64_t page)
{
	const struct index_slot *found = set->nr ? index_first(&set->index, key_of(array, page))
						 : NULL;

	return found && found->row && set->slots[found->row - 1].pages >> (page & 63) & 1;
}

void page_set_own(struct page_set *set, struct page_slot *slot, uint64_t page, uint32_t owner)
{
	if (!slot->owners && slot->pages == 1ull << (page & 63))
		slot->owner = owner;
	if (!slot->owners && slot->owner == owner)
		return;
	if (!slot->owners) {
		slot->owners = arena_alloc(set->arena, PAGE_SLOT_PAGES * sizeof(*slot->owners));
		for (size_t i = 0; slot->owners && i < PAGE_SLOT_PAGES; i++)
			slot->owners[i] = slot->owner;
		slot->owner = PAGE_OWNER_NONE;
	}
	if (slot->owners)
		slot->owners[page & 63] = owner;
}

static int by_key(const void *left, const void *right)
{
	uint64_t a = (*(const struct page_slot *const *)left)->key,
		 b = (*(const struct page_slot *const *)right)->key;

	return (a > b) - (a < b);
}

const struct page_slot **page_set_sorted(const struct page_set *set, struct arena *arena)
{
	const struct page_slot **slots = arena_alloc(arena, (set->nr + 1) * sizeof(*slots));
	size_t nr = 0;

	for (; slots && nr < set->nr; nr++)
		slots[nr] = &set->slots[nr];
	if (nr)
		sort(slots, nr, sizeof(*slots), by_key);
	return slots;
}

uint32_t page_slot_array(const struct page_slot *slot)
{
	return (uint32_t)(slot->key >> GROUP_BITS);
}

uint64_t page_slot_first(const struct page_slot *slot)
{
	return (slot->key & ((1ull << GROUP_BITS) - 1)) << 6;
}

uint32_t page_slot_owner(const struct page_slot *slot, unsigned int i)
{
	if (!(slot->pages >> i & 1))
		return PAGE_OWNER_NONE;
	return slot->owners ? slot->owners[i] : slot->owner;
}
