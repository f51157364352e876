/* SPDX-License-Identifier: Apache-2.0 */
/* A set of (array, page), 64 pages a slot. */
#include "ompt_tool/arrays/page_set.h"

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"

#define ROOM_FIRST 1024 /* a power of two */
/* 57 address bits, less page (12) and position in the slot (6) */
#define GROUP_BITS 39

/* Never 0, which is a free slot. */
static uint64_t key_of(uint32_t array, uint64_t page)
{
	return ((uint64_t)array + 1) << GROUP_BITS | page >> 6;
}

static struct page_slot *slot_of(struct page_slot *slots, size_t room, uint64_t key)
{
	size_t at = hash_word(key) >> 20 & (room - 1);

	while (slots[at].key && slots[at].key != key)
		at = (at + 1) & (room - 1);
	return &slots[at];
}

static bool grow(struct page_set *set)
{
	size_t room = set->room ? set->room * 2 : ROOM_FIRST;
	struct page_slot *slots = arena_alloc(set->arena, room * sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < set->room; i++)
		if (set->slots[i].key)
			*slot_of(slots, room, set->slots[i].key) = set->slots[i];
	set->slots = slots;
	set->room = room;
	return true;
}

bool page_set_add(struct page_set *set, uint32_t array, uint64_t page)
{
	uint64_t key = key_of(array, page), bit = 1ull << (page & 63);
	struct page_slot *slot;

	if (set->nr * 2 >= set->room && !grow(set))
		return false;
	slot = slot_of(set->slots, set->room, key);
	if (slot->pages & bit)
		return false;
	set->nr += !slot->key;
	slot->key = key;
	slot->pages |= bit;
	return true;
}
