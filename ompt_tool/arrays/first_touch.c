/* SPDX-License-Identifier: Apache-2.0 */
/* Page faults become rows of (array, thread, site). */
#include "ompt_tool/arrays/first_touch.h"

#include "analysis/base/arena.h"
#include "analysis/trace/page_touches.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/heap.h"

/* positions of a page at which its arrays are looked up: begin, fault address, end */
#define POINTS 3

void first_touches_init(struct first_touches *touches, struct arena *arena, uint64_t page_bytes)
{
	*touches = (struct first_touches){
		.arena = arena,
		.page_bytes = page_bytes,
		.seen.arena = arena,
		.runs = arena_alloc(arena, sizeof(*touches->runs)),
		.lasts = arena_alloc(arena, FIRST_TOUCH_LASTS * sizeof(*touches->lasts))
	};
}

/* ---------------------------------------------------------------------- rows */

static uint64_t hash_of(const struct first_touch *row)
{
	const uint32_t key[] = { row->array, row->thread, row->site, row->node };

	return hash_bytes(HASH_START, key, sizeof(key));
}

static bool same(const struct first_touch *a, const struct first_touch *b)
{
	return a->array == b->array && a->thread == b->thread && a->site == b->site &&
	       a->node == b->node;
}

/* NULL: no memory. */
static struct first_touch *row_of(struct first_touches *touches, const struct toucher *who,
				  uint32_t array)
{
	const struct first_touch wanted = {
		.array = array, .thread = who->thread, .site = who->site, .node = who->node
	};
	struct index_slot *slot;
	uint64_t hash;

	if (touches->recent->row < touches->nr &&
	    same(&touches->rows[touches->recent->row], &wanted))
		return &touches->rows[touches->recent->row];
	if (!index_reserve(&touches->index, touches->arena))
		return NULL;
	hash = hash_of(&wanted);
	slot = index_first(&touches->index, hash);
	while (slot->row && !same(&touches->rows[slot->row - 1], &wanted))
		slot = index_next(&touches->index, slot);
	if (!slot->row) {
		if (!ARENA_GROW(touches->arena, touches->rows, touches->nr, touches->room))
			return NULL;
		touches->rows[touches->nr] = wanted;
		index_enter(&touches->index, slot, hash, (uint32_t)touches->nr++);
	}
	touches->recent->row = slot->row - 1;
	return &touches->rows[slot->row - 1];
}

/* --------------------------------------------------------------------- pages */

/* time of the fault, and log2 of the mapped bytes */
struct brought {
	uint64_t time;
	uint8_t shift;
};

static struct first_touch_block block_around(uint64_t address, const struct array_place *place)
{
	return (struct first_touch_block){ place->array, address - place->offset,
					   address - place->offset + place->block_bytes };
}

static bool is_heap(uint32_t array)
{
	const struct array *row = array_get(array);

	return row && row->kind == ARRAY_HEAP;
}

/*
 * Allocation site of an array's blocks; 0: before memsearch started. Arrays named individually have
 * no site in their rows.
 */
static uint64_t origin_of(uint32_t array)
{
	const struct array *row = array_get(array);
	struct heap_origin origin;

	if (row && row->site)
		return row->site;
	return heap_origin(array, &origin) ? origin.site : 0;
}

/*
 * Follows a block that was given a name since, and so belongs to another array of the same origin.
 * A later block at the same address mostly has another origin.
 */
static struct first_touch_block renamed(struct first_touch_block block)
{
	struct array_place place;
	uint64_t now = array_time();

	if (is_heap(block.array) && array_at(block.low, now, now, &place) &&
	    place.array != block.array && !place.offset &&
	    place.block_bytes == block.high - block.low && is_heap(place.array) &&
	    origin_of(place.array) == origin_of(block.array))
		block.array = place.array;
	return block;
}

static bool contains(const struct first_touch_block *block, uint64_t address)
{
	return address - block->low < block->high - block->low;
}

/*
 * The block that contained the address at `time`; or contains it now, unless that is a heap block,
 * which may be newer.
 */
static bool find_block(uint64_t address, uint64_t time, uint64_t now, struct first_touch_block *out)
{
	struct array_place place;
	const struct array *row;

	if ((!array_at(address, time, time, &place) || place.array == ARRAY_NONE) &&
	    (!array_at(address, now, now, &place) || is_heap(place.array)))
		return false;
	row = array_get(place.array);
	if (row && array_is_scalar(row))
		return false;
	*out = renamed(block_around(address, &place));
	return true;
}

static bool block_at(struct first_touches *touches, uint64_t address, uint64_t time,
		     struct first_touch_block *out)
{
	struct first_touch_recent *recent = touches->recent;
	uint64_t now = array_time();

	if (!(contains(&recent->block, address) && recent->time == time && recent->now == now) &&
	    !find_block(address, time, now, &recent->block))
		return false;
	recent->time = time;
	recent->now = now;
	*out = recent->block;
	return true;
}

/*
 * Finds the blocks with parts in a page, by its begin, its end and `at`; `known` is one of them, or
 * empty. Returns their number.
 */
static size_t blocks_of_page(struct first_touches *touches, uint64_t low, uint64_t high,
			     uint64_t at, uint64_t time, const struct first_touch_block *known,
			     struct first_touch_block *out)
{
	const uint64_t points[POINTS] = { low, at, high - 1 };
	size_t nr = 0;

	for (size_t i = 0; i < POINTS; i++) {
		if (nr && contains(&out[nr - 1], points[i]))
			continue;
		if (contains(known, points[i]))
			out[nr++] = *known;
		else
			nr += block_at(touches, points[i], time, &out[nr]);
	}
	return nr;
}

static uint64_t overlap(const struct first_touch_block *block, uint64_t low, uint64_t high)
{
	uint64_t from = block->low > low ? block->low : low,
		 to = block->high < high ? block->high : high;

	return to > from ? to - from : 0;
}

/* A previous entry of the list for the same array; NULL: none. */
static const struct first_touch_block *earlier(const struct first_touch_block *blocks, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (blocks[k].array == blocks[i].array)
			return &blocks[k];
	return NULL;
}

/* Pages shared by several arrays are not attributed to a thread of a team. */
static void keep_page(const struct first_touches *touches, const struct toucher *who,
		      const struct brought *brought, uint64_t at,
		      const struct first_touch_block *block, bool shared)
{
	uint64_t low = at & ~(touches->page_bytes - 1), begin = block->low > low ? block->low : low;
	const struct page_touch touch = {
		.core = who->core, .team = who->team, .shift = brought->shift, .inside = at > begin
	};

	if (!shared || who->team == 1)
		page_touches_add(block->array, low, &touch);
}

static void page(struct first_touches *touches, const struct toucher *who,
		 const struct brought *brought, uint64_t at, const struct first_touch_block *known)
{
	uint64_t low = at & ~(touches->page_bytes - 1), high = low + touches->page_bytes;
	struct first_touch_block blocks[POINTS];
	bool fresh[POINTS];
	size_t nr = blocks_of_page(touches, low, high, at, brought->time, known, blocks);

	for (size_t i = 0; i < nr; i++) {
		const struct first_touch_block *other = earlier(blocks, i);
		struct page_slot *slot = other ? NULL
					       : page_set_add(&touches->seen, blocks[i].array,
							      low / touches->page_bytes);
		struct first_touch *row;

		fresh[i] = other ? fresh[other - blocks] : slot != NULL;
		row = fresh[i] ? row_of(touches, who, blocks[i].array) : NULL;
		touches->lost += fresh[i] && !row;
		if (!row)
			continue;
		if (slot)
			page_set_own(&touches->seen, slot, low / touches->page_bytes,
				     (uint32_t)(row - touches->rows));
		row->pages += !other;
		row->bytes += overlap(&blocks[i], low, high);
		keep_page(touches, who, brought, at, &blocks[i], nr > 1);
	}
}

static void note_faults(struct first_touches *touches, const struct toucher *who,
			const struct first_touch_block *block, uint32_t others)
{
	struct first_touch *row = block->high ? row_of(touches, who, block->array) : NULL;

	touches->faults += 1 + others;
	touches->others += others;
	touches->nobodys += block->high ? 0 : 1 + others;
	if (!row)
		return;
	row->faults += 1 + others;
	row->sparse |= others > 0;
}

static void look_at(struct first_touches *touches, const struct toucher *who)
{
	touches->recent = &touches->recents[(who->site + 7 * who->thread) % FIRST_TOUCH_RECENTS];
}

/* Notes all system pages of the mapped page around the address. */
static void bring(struct first_touches *touches, const struct toucher *who,
		  const struct brought *brought, uint64_t address,
		  const struct first_touch_block *own)
{
	uint64_t bytes = 1ull << brought->shift, low = address & ~(bytes - 1);

	for (uint64_t at = low; at < low + bytes; at += touches->page_bytes)
		page(touches, who, brought, address - at < touches->page_bytes ? address : at, own);
}

/*
 * Attributes the pages that the thread must have touched since its last sampled fault in the block.
 * Returns their number, at most `others`.
 */
static uint64_t bring_others(struct first_touches *touches, const struct toucher *who,
			     const struct brought *brought, uint64_t address, uint32_t others,
			     const struct first_touch_block *own)
{
	struct touch_stretch stretch = touch_runs_add(touches->runs, who->thread, own->low,
						      brought->shift, address >> brought->shift,
						      others);

	for (uint64_t i = stretch.first; i < stretch.first + stretch.nr; i++)
		bring(touches, who, brought,
		      i << brought->shift > own->low ? i << brought->shift : own->low, own);
	return stretch.nr;
}

/*
 * If a thread continues in another block, it touched the previous one to its end, provided that its
 * number of faults suffices. Returns the number of pages.
 */
static uint64_t bring_end(struct first_touches *touches, const struct toucher *who,
			  const struct brought *brought, uint64_t address, uint64_t others,
			  const struct first_touch_block *own)
{
	struct first_touch_last *place = &touches->lasts[who->thread % FIRST_TOUCH_LASTS],
				last = *place;
	uint64_t end = last.block.high ? ((last.block.high - 1) >> last.shift) + 1 : 0;

	*place = (struct first_touch_last){ who->thread + 1, brought->shift,
					    address >> brought->shift, *own };
	if (last.thread != who->thread + 1 || last.block.low == own->low ||
	    last.shift != brought->shift || end - last.page - 1 > others)
		return 0;
	for (uint64_t i = last.page + 1; i < end; i++)
		bring(touches, who, brought, i << brought->shift, &last.block);
	return end - last.page - 1;
}

/* If the sampled page was already counted, the unsampled ones are assumed to be, too. */
static void bring_all(struct first_touches *touches, const struct toucher *who,
		      const struct brought *brought, uint64_t address, uint32_t others,
		      const struct first_touch_block *own)
{
	struct first_touch *row = own->high ? row_of(touches, who, own->array) : NULL;
	uint64_t before = row ? row->pages : 0, pages, nr;

	bring(touches, who, brought, address, own);
	if (!row || !touches->runs || !touches->lasts)
		return;
	pages = row_of(touches, who, own->array)->pages - before;
	nr = bring_others(touches, who, brought, address, others, own);
	nr += bring_end(touches, who, brought, address, others > nr ? others - nr : 0, own);
	row = row_of(touches, who, own->array);
	row->others += pages && others ? (int64_t)(pages * others) - (int64_t)(pages * nr) : 0;
}

void first_touches_fault(struct first_touches *touches, const struct toucher *who, uint64_t address,
			 unsigned int page_shift, uint32_t others, const struct array_place *place,
			 uint64_t time)
{
	uint64_t bytes = 1ull << page_shift < touches->page_bytes ? touches->page_bytes
								  : 1ull << page_shift;
	const struct brought brought = { time, (uint8_t)__builtin_ctzll(bytes) };
	struct first_touch_block own = { 0 };

	look_at(touches, who);
	if (place->array != ARRAY_NONE)
		own = renamed(block_around(address, place));
	else
		block_at(touches, address, time, &own);
	note_faults(touches, who, &own, others);
	bring_all(touches, who, &brought, address, others, &own);
}

/* Totals of one array, or of one thread. */
struct known {
	uint64_t pages, others; /* positive `others` of rows */
	int64_t balance;        /* sum of `others` of all rows */
	uint64_t rows;          /* rows with `others` != 0 */
};

static void add_known(struct known *known, const struct first_touch *row)
{
	known->pages += row->pages;
	known->others += row->others > 0 ? (uint64_t)row->others : 0;
	known->balance += row->others;
	known->rows += row->others != 0;
}

/*
 * Number of estimated pages of a row. A thread that touches several arrays alternately appears to
 * touch more of one and less of another, up to the sampling distance each: a balance within that
 * distance is ignored. A larger balance is distributed to the rows with a surplus, up to the size
 * of the array.
 */
static uint64_t estimate(const struct first_touch *row, const struct known *thread,
			 const struct known *array, uint64_t pages)
{
	bool tells = thread->balance > (int64_t)thread->rows * TOUCH_FURTHEST;
	double share = tells ? (double)thread->balance / (double)thread->others : 0,
	       free = pages > array->pages ? (double)(pages - array->pages) : 0;

	if ((double)array->others * share > free)
		share = free / (double)array->others;
	return (uint64_t)(share * (double)row->others);
}

static void estimate_rows(struct first_touches *touches, struct known *arrays, uint32_t nr,
			  struct known *threads)
{
	for (size_t i = 0; i < touches->nr; i++)
		if (touches->rows[i].array < nr) {
			add_known(&arrays[touches->rows[i].array], &touches->rows[i]);
			add_known(&threads[touches->rows[i].thread % FIRST_TOUCH_LASTS],
				  &touches->rows[i]);
		}
	for (size_t i = 0; i < touches->nr; i++) {
		struct first_touch *row = &touches->rows[i];
		const struct array *array = row->array < nr && row->others > 0
						    ? array_get(row->array)
						    : NULL;

		row->estimated = array ? estimate(row, &threads[row->thread % FIRST_TOUCH_LASTS],
						  &arrays[row->array],
						  array->bytes / touches->page_bytes)
				       : 0;
	}
}

void first_touches_estimate(struct first_touches *touches)
{
	uint32_t nr = array_count();
	struct arena *scratch = touches->others ? arena_new() : NULL;
	struct known *arrays = scratch ? arena_alloc(scratch, nr * sizeof(*arrays)) : NULL;
	struct known *threads = scratch ? arena_alloc(scratch, FIRST_TOUCH_LASTS * sizeof(*threads))
					: NULL;

	if (arrays && threads)
		estimate_rows(touches, arrays, nr, threads);
	arena_free(scratch);
}

void first_touches_resident(struct first_touches *touches, const struct toucher *who, uint64_t low,
			    uint64_t high, uint64_t time)
{
	static const struct first_touch_block none;
	const struct brought brought = { time, (uint8_t)__builtin_ctzll(touches->page_bytes) };

	look_at(touches, who);
	for (; low < high; low += touches->page_bytes)
		page(touches, who, &brought, low, &none);
}

uint64_t first_touches_unowned(struct first_touches *touches, uint32_t array, uint32_t thread,
			       uint64_t low, uint64_t high)
{
	const struct toucher who = { .thread = thread,
				     .site = FIRST_TOUCH_KERNEL,
				     .node = UINT16_MAX };
	uint64_t nr = 0;

	look_at(touches, &who);
	for (uint64_t at = low & ~(touches->page_bytes - 1); at < high; at += touches->page_bytes) {
		uint64_t from = at > low ? at : low, page = at / touches->page_bytes,
			 to = at + touches->page_bytes < high ? at + touches->page_bytes : high;
		struct page_slot *slot = page_set_add(&touches->seen, array, page);
		struct first_touch *row = slot ? row_of(touches, &who, array) : NULL;

		if (!row)
			continue;
		page_set_own(&touches->seen, slot, page, (uint32_t)(row - touches->rows));
		row->pages++;
		row->bytes += to - from;
		nr++;
	}
	return nr;
}

bool first_touches_uncertain(const struct first_touches *touches, uint32_t array)
{
	for (size_t i = 0; i < touches->nr; i++)
		if (touches->rows[i].array == array && touches->rows[i].sparse)
			return true;
	return touches->lost > 0;
}
