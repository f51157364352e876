/* SPDX-License-Identifier: Apache-2.0 */
/* A set of (array, page) with owners, 64 pages a slot. */
#include "ompt_tool/arrays/page_set.h"

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/base/sort.h"

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

struct page_slot *page_set_add(struct page_set *set, uint32_t array, uint64_t page)
{
	uint64_t key = key_of(array, page), bit = 1ull << (page & 63);
	struct page_slot *slot;

	if (set->nr * 2 >= set->room && !grow(set))
		return NULL;
	slot = slot_of(set->slots, set->room, key);
	if (slot->pages & bit)
		return NULL;
	set->nr += !slot->key;
	if (!slot->key)
		slot->owner = PAGE_OWNER_NONE;
	slot->key = key;
	slot->pages |= bit;
	return slot;
}

bool page_set_has(const struct page_set *set, uint32_t array, uint64_t page)
{
	return set->room &&
	       slot_of(set->slots, set->room, key_of(array, page))->pages >> (page & 63) & 1;
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

	for (size_t i = 0; slots && i < set->room; i++)
		if (set->slots[i].key)
			slots[nr++] = &set->slots[i];
	if (nr)
		sort(slots, nr, sizeof(*slots), by_key);
	return slots;
}

uint32_t page_slot_array(const struct page_slot *slot)
{
	return (uint32_t)(slot->key >> GROUP_BITS) - 1;
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
