/* SPDX-License-Identifier: Apache-2.0 */
/* First touch of each page. */
#include "analysis/trace/page_touches.h"

#include <stddef.h>
#include <string.h>

#include "analysis/base/hash.h"
#include "analysis/base/reserve.h"

#define GROUP_BITS 9 /* pages of a group: 2 MiB of small ones */
#define GROUP_PAGES (1u << GROUP_BITS)
#define GROUPS (1u << 13)
#define INDEX (2 * GROUPS) /* a power of two */
#define TEAM_MAX 255
#define PAGES_A_THREAD 4 /* with fewer pages the first touch may be chance */

/* A page's first touch, in one word that is accessed atomically. */
union touch {
	uint32_t word;
	struct {
		uint32_t core : 8, team : 8, shift : 5, inside : 1;
		uint32_t array : 10; /* lower bits: detects an earlier array at this address */
	};
};
_Static_assert(sizeof(union touch) == sizeof(uint32_t), "one word");

static struct {
	unsigned int page_shift;
	uint32_t nr; /* groups in use */
	/* key: pages' number / GROUP_PAGES + 1, atomic; 0: free */
	struct {
		uint64_t key;
		uint32_t group;
	} index[INDEX];
	uint32_t (*groups)[GROUP_PAGES]; /* atomic; NULL: not started */
} touches;

bool page_touches_start(uint64_t page_bytes)
{
	touches.page_shift = (unsigned int)__builtin_ctzll(page_bytes);
	if (!touches.groups)
		touches.groups = reserve(GROUPS * sizeof(*touches.groups));
	return touches.groups;
}

/* NULL: there is none. */
static uint32_t *group_of(uint64_t page, bool make)
{
	uint64_t key = (page >> GROUP_BITS) + 1;

	for (uint32_t at = (uint32_t)(hash_word(key) >> 32) % INDEX;; at = (at + 1) % INDEX) {
		uint64_t found = __atomic_load_n(&touches.index[at].key, __ATOMIC_ACQUIRE);

		if (found == key)
			return touches.groups[touches.index[at].group];
		if (found)
			continue;
		if (!make || touches.nr == GROUPS)
			return NULL;
		touches.index[at].group = touches.nr++;
		__atomic_store_n(&touches.index[at].key, key, __ATOMIC_RELEASE);
		return touches.groups[touches.index[at].group];
	}
}

static uint32_t tag_of(uint32_t array)
{
	return (union touch){ .array = array & 0x3ff }.array;
}

void page_touches_add(uint32_t array, uint64_t address, const struct page_touch *touch)
{
	uint64_t page = address >> touches.page_shift;
	bool kept = touches.groups && touch->team && touch->core < PAGE_TOUCHES_CORES;
	uint32_t *group = kept ? group_of(page, true) : NULL;
	union touch entry = { .word = 0 };

	if (!group)
		return;
	entry.core = touch->core & 0xff;
	entry.team = (touch->team < TEAM_MAX ? touch->team : TEAM_MAX) & 0xff;
	entry.shift = touch->shift & 0x1f;
	entry.inside = touch->inside;
	entry.array = tag_of(array);
	__atomic_store_n(&group[page % GROUP_PAGES], entry.word, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ kept */

void page_touches_words(void (*visit)(void *ctx, uint64_t page, uint32_t touch), void *ctx)
{
	for (uint32_t at = 0; touches.groups && at < INDEX; at++) {
		uint64_t key = __atomic_load_n(&touches.index[at].key, __ATOMIC_ACQUIRE);

		for (uint32_t i = 0; key && i < GROUP_PAGES; i++)
			if (touches.groups[touches.index[at].group][i])
				visit(ctx, (key - 1) << GROUP_BITS | i,
				      touches.groups[touches.index[at].group][i]);
	}
}

bool page_touches_put(uint64_t page, uint32_t touch)
{
	uint32_t *group = touches.groups ? group_of(page, true) : NULL;

	if (group)
		group[page % GROUP_PAGES] = touch;
	return group;
}

void page_touches_forget(void)
{
	for (uint32_t group = 0; group < touches.nr; group++)
		memset(touches.groups[group], 0, sizeof(touches.groups[group]));
	memset(touches.index, 0, sizeof(touches.index));
	touches.nr = 0;
}

uint32_t page_touches_shift(void)
{
	return touches.groups ? touches.page_shift : 0;
}

/* ------------------------------------------------------------------ reading */

struct block {
	uint32_t tag;
	uint64_t first, last; /* pages */
	bool in_turns;        /* first touches by teams are unknown: threads raced */
};

/* team 0: not known, or not of this block. */
static union touch touch_at(const struct block *block, uint64_t page)
{
	uint32_t *group = page >= block->first && page <= block->last ? group_of(page, false)
								      : NULL;
	union touch touch = {
		.word = group ? __atomic_load_n(&group[page % GROUP_PAGES], __ATOMIC_RELAXED) : 0
	};

	return touch.array == block->tag ? touch : (union touch){ .word = 0 };
}

static bool is_others(union touch touch, union touch other)
{
	return other.team && other.core != touch.core;
}

/* A thread's part that begins in a page and ends before the next. */
static bool is_torn(const struct block *block, uint64_t page, union touch touch)
{
	union touch next = touch_at(block, page + 1);

	return touch.inside && is_others(touch, touch_at(block, page - 1)) &&
	       !(next.team && next.core == touch.core && !next.inside);
}

static bool touched_in_turns(const struct block *block)
{
	uint64_t pages = 0, torn = 0, team = 0;

	for (uint64_t page = block->first; page <= block->last; page++) {
		union touch touch = touch_at(block, page);

		if (touch.team < 2)
			continue;
		pages++;
		torn += is_torn(block, page, touch);
		team = touch.team > team ? touch.team : team;
	}
	return pages < PAGES_A_THREAD * team || torn > team;
}

/* team 0: no team. */
static union touch whose(const struct block *block, uint64_t page)
{
	union touch touch = touch_at(block, page), before = touch_at(block, page - 1);
	uint64_t small = touch.shift > touches.page_shift
				 ? 1ull << (touch.shift - touches.page_shift)
				 : 1,
		 first = page & ~(small - 1);

	if (touch.team < 2)
		return touch;
	if (block->in_turns || (small > 1 && (is_others(touch, touch_at(block, first - 1)) ||
					      is_others(touch, touch_at(block, first + small)))))
		return (union touch){ .word = 0 };
	return small == 1 && touch.inside && is_others(touch, before) ? before : touch;
}

void page_touches_each(uint32_t array, uint64_t low, uint64_t high,
		       void (*visit)(void *ctx, uint64_t low, uint64_t high, uint32_t core),
		       void *ctx)
{
	struct block block = { tag_of(array), low >> touches.page_shift,
			       (high - 1) >> touches.page_shift, false };
	uint64_t begin = low;
	union touch last = { .word = 0 };

	if (!touches.groups || high <= low)
		return;
	block.in_turns = touched_in_turns(&block);
	for (uint64_t page = block.first; page <= block.last + 1; page++) {
		uint64_t at = page << touches.page_shift;
		union touch touch = whose(&block, page);

		if (touch.team && last.team && touch.core == last.core)
			continue;
		if (last.team)
			visit(ctx, begin, at < high ? at : high, last.core);
		begin = at > low ? at : low;
		last = touch;
	}
}
