/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_FIRST_TOUCH_H
#define MEMSEARCH_ARRAYS_FIRST_TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/index_table.h"
#include "ompt_tool/arrays/page_set.h"
#include "ompt_tool/arrays/touch_runs.h"

/*
 * From page faults to first touches: pages and bytes of an array by thread and instruction. A fault
 * maps one page, of 4 KiB or 2 MiB: it is the first touch of every array with a part in that page,
 * whichever of them contains the fault's address. Each page of an array counts once, for the first
 * thread. At phase boundaries and the end; not in callbacks. Arrays smaller than a page in the
 * middle of others are not found.
 */
struct arena;
struct array_place;

/* site: the page was already resident when memsearch started */
#define FIRST_TOUCH_BEFORE UINT32_MAX
/* … it became resident without a page fault of the program's instructions */
#define FIRST_TOUCH_KERNEL (UINT32_MAX - 2)

/* a row; the caller defines the numbers of (thread, node, site) */
struct first_touch {
	uint32_t array, thread, site;
	uint16_t node;
	uint64_t faults, pages, bytes;
	/*
	 * pages of these that were estimated by first_touches_estimate: their number is known, not
	 * their addresses
	 */
	uint64_t estimated;
	/* unsampled faults attributed to this row, less the pages found for them */
	int64_t others;
	bool sparse; /* there were unsampled ones */
};

/* Cache of an instruction's last array on its thread, which mostly is the next one, too. */
#define FIRST_TOUCH_RECENTS 32
struct first_touch_block {
	uint32_t array;
	uint64_t low, high;
};
struct first_touch_recent {
	size_t row;
	struct first_touch_block block;
	/* times of array.h: the block was valid at `time`, determined at `now` */
	uint64_t time, now;
};

/* A thread's last fault. */
#define FIRST_TOUCH_LASTS 1024
struct first_touch_last {
	uint32_t thread; /* + 1; 0: none */
	uint8_t shift;
	uint64_t page; /* of 2^shift bytes */
	struct first_touch_block block;
};

struct first_touches {
	struct arena *arena;
	uint64_t page_bytes;  /* the system's, a power of two */
	struct page_set seen; /* owners: positions in rows */
	struct first_touch *rows;
	size_t nr, room;
	struct index_table index; /* of rows */
	/* `recent`: of the current fault */
	struct first_touch_recent recents[FIRST_TOUCH_RECENTS], *recent;
	/* NULL: out of memory; pages between sampled faults stay unknown */
	struct touch_runs *runs;
	/* by thread, some threads share an entry; NULL: out of memory */
	struct first_touch_last *lasts;
	uint64_t faults, nobodys; /* all; and those outside of all arrays */
	uint64_t others;          /* unsampled ones */
	uint64_t lost;            /* pages without a row, as memory was short */
};

/* Thread, node and instruction of a touch. */
struct toucher {
	uint32_t thread, site;
	uint16_t node;
	uint16_t core, team; /* of page_touches.h; team 0: not known */
};

void first_touches_init(struct first_touches *touches, struct arena *arena, uint64_t page_bytes);

/*
 * Notes a page fault that mapped 2^page_shift bytes; 0: one page. It represents `others` faults
 * before it, which were counted and not sampled: pages in between belong to the thread
 * (touch_runs.h). The touching thread is also stored page by page, in page_touches.h. `place`: the
 * array that had `address` at `time` (array.h), ARRAY_NONE: none. Addresses without an array at
 * that time are looked up among the present arrays, except heap blocks: declarations are read after
 * the variables begin to exist.
 */
void first_touches_fault(struct first_touches *touches, const struct toucher *who, uint64_t address,
			 unsigned int page_shift, uint32_t others, const struct array_place *place,
			 uint64_t time);
/*
 * Attributes unsampled faults without order: each counts as a page of an array that has untouched
 * pages. Call after each update.
 */
void first_touches_estimate(struct first_touches *touches);
/* Notes pages in [low, high) that were already resident at a time of array.h. */
void first_touches_resident(struct first_touches *touches, const struct toucher *who, uint64_t low,
			    uint64_t high, uint64_t time);
/*
 * Attributes the pages of the array in [low, high), which are resident, to the kernel (system calls
 * such as read, huge pages that it made) if no fault brought them. `thread`: of the row. Returns
 * their number.
 */
uint64_t first_touches_unowned(struct first_touches *touches, uint32_t array, uint32_t thread,
			       uint64_t low, uint64_t high);
/* Some pages of the array were faulted at unknown addresses, so that resident ones may be these. */
bool first_touches_uncertain(const struct first_touches *touches, uint32_t array);

#endif
