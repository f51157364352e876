/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_FIRST_TOUCH_H
#define MEMSEARCH_ARRAYS_FIRST_TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/arrays/page_set.h"
#include "ompt_tool/arrays/touch_runs.h"

/*
 * From page faults to first touches: pages and bytes of an array by thread and instruction. A fault
 * brings one page, of 4 KiB or 2 MiB: it is the first touch of every array that has a part of it,
 * however the fault's own address lies in one of them. Each page of an array counts once, for the
 * first thread. At phase boundaries and the end; not in callbacks. Arrays smaller than a page in
 * the middle of others are not seen.
 */
struct arena;
struct array_place;

#define FIRST_TOUCH_BEFORE UINT32_MAX /* site: the page was there when memsearch came */

/* a row; how (thread, node, site) are numbered is the caller's affair */
struct first_touch {
	uint32_t array, thread, site;
	uint16_t node;
	uint64_t faults, pages, bytes;
	/*
	 * pages of these, whole ones, of which nothing is known but how many; by
	 * first_touches_estimate
	 */
	uint64_t estimated;
	/* of faults that are not kept, pages less those that are known */
	int64_t others;
};

/* The last array of the instruction on its thread: mostly it is the next one, too. */
#define FIRST_TOUCH_RECENTS 32
struct first_touch_block {
	uint32_t array;
	uint64_t low, high;
};
struct first_touch_recent {
	size_t row;
	struct first_touch_block block;
	/* of array.h: the block was that of `time` when it was `now` */
	uint64_t time, now;
};

/* Where a thread was last. */
#define FIRST_TOUCH_LASTS 1024
struct first_touch_last {
	uint32_t thread; /* + 1; 0: none */
	uint8_t shift;
	uint64_t page; /* of 2^shift bytes */
	struct first_touch_block block;
};

struct first_touches {
	struct arena *arena;
	uint64_t page_bytes; /* the system's, a power of two */
	struct page_set seen;
	struct first_touch *rows;
	size_t nr, room;
	uint32_t *index; /* open hash table of 1 + position in rows */
	size_t index_room;
	/* `recent`: of the current fault */
	struct first_touch_recent recents[FIRST_TOUCH_RECENTS], *recent;
	/* NULL: no memory, and nothing is known of pages between */
	struct touch_runs *runs;
	struct first_touch_last *lasts; /* by thread, some of which share a place; NULL as well */
	uint64_t faults, nobodys;       /* those in none of the arrays */
	uint64_t others;                /* of those not kept one by one */
	uint64_t lost;                  /* pages without a row, as memory was short */
};

/* Who touched, and where. */
struct toucher {
	uint32_t thread, site;
	uint16_t node;
	uint16_t core, team; /* of page_touches.h; team 0: not known */
};

void first_touches_init(struct first_touches *touches, struct arena *arena, uint64_t page_bytes);

/*
 * One page fault that brought 2^page_shift bytes; 0: one page. It stands for `others` before it,
 * which were counted and not sampled: pages between are the thread's own (touch_runs.h). Who
 * touched it is also kept page by page, in page_touches.h. `place`: whose `address` was at `time`
 * (array.h), ARRAY_NONE: no array. Addresses without an array at that time are looked up among the
 * present arrays, except heap blocks: declarations are read later than they begin to live.
 */
void first_touches_fault(struct first_touches *touches, const struct toucher *who, uint64_t address,
			 unsigned int page_shift, uint32_t others, const struct array_place *place,
			 uint64_t time);
/*
 * Attributes unsampled faults without order: each counts as a page of an array that has untouched
 * pages. Call after each update.
 */
void first_touches_estimate(struct first_touches *touches);
/* Pages in [low, high) that were in memory at a time of array.h. */
void first_touches_resident(struct first_touches *touches, const struct toucher *who, uint64_t low,
			    uint64_t high, uint64_t time);

#endif
