/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_PAGE_SET_H
#define MEMSEARCH_ARRAYS_PAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which pages of which array have been counted: 64 pages are a bit each in one slot of an open hash
 * table. Grows in its arena, so not in callbacks.
 */
struct arena;
struct page_slot {
	uint64_t key, pages;
};
struct page_set {
	struct arena *arena;
	struct page_slot *slots;
	size_t nr, room;
};

/*
 * True: the page (address / page size) was not in it before. False: it was, or there is no memory.
 */
bool page_set_add(struct page_set *set, uint32_t array, uint64_t page);

#endif
