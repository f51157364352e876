/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_PAGE_SET_H
#define MEMSEARCH_ARRAYS_PAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/index_table.h"

/*
 * Which pages of which array have been counted, and their owners, numbers of the caller's: 64 pages
 * are a bit each in one slot. Owners of single pages are kept only in slots that have several.
 * Grows in its arena, so not in callbacks.
 */
#define PAGE_SLOT_PAGES 64
#define PAGE_OWNER_NONE UINT32_MAX /* not known */

struct arena;
struct page_slot {
	uint64_t key, pages;
	uint32_t owner;   /* of all its pages, unless there are … */
	uint32_t *owners; /* … one by one */
};
struct page_set {
	struct arena *arena;
	struct page_slot *slots;
	size_t nr, room;
	struct index_table index; /* of slots, by key */
};

/*
 * The slot of a page (address / page size) that was not in it before, until the next addition; the
 * page has no owner yet. NULL: it was, or there is no memory.
 */
struct page_slot *page_set_add(struct page_set *set, uint32_t array, uint64_t page);
/* Without memory all pages of the slot are without an owner. */
void page_set_own(struct page_set *set, struct page_slot *slot, uint64_t page, uint32_t owner);
bool page_set_has(const struct page_set *set, uint32_t array, uint64_t page);

/* Slots by array and page, in the arena; NULL: no memory. */
const struct page_slot **page_set_sorted(const struct page_set *set, struct arena *arena);
uint32_t page_slot_array(const struct page_slot *slot);
uint64_t page_slot_first(const struct page_slot *slot); /* page of its first bit */
/* Of page `i` of the slot; PAGE_OWNER_NONE: not in the set, or not known. */
uint32_t page_slot_owner(const struct page_slot *slot, unsigned int i);

#endif
