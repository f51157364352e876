/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_TOUCH_RUNS_H
#define MEMSEARCH_ARRAYS_TOUCH_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Which pages a thread touched between two page faults that are known, where only one in
 * TOUCH_SPARSE is: those between, where the next one in a block of memory comes no more pages away
 * than faults can have been.
 *
 *     known        ·  ·  ·  ·  ·  known        up to 1 1/2 times TOUCH_SPARSE pages: all between
 *                                              are its pages
 *     begin ·  ·  ·  ·  known                  its first one in the block: those before, too, if
 *                                              they are fewer than TOUCH_SPARSE
 *     known        (further)       known       nothing is known of those between
 *
 * The kernel counts faults exactly. So where a thread touches a block page by page, or several in
 * turn, as many faults fell between two known ones as there are pages; who touches every second
 * page, or pages in no order, is further away. What is not sure are pages in such a gap that
 * another thread touched instead, and some at the end of a thread's part. One writer, at phase
 * boundaries; lives in zeroed memory.
 */
/* faults from one that is kept to the next; a prime (sensors/faults.c) */
#define TOUCH_SPARSE 61
#define TOUCH_FURTHEST (TOUCH_SPARSE + TOUCH_SPARSE / 2)
/* threads' blocks, some of which share a place: then nothing is known between */
#define TOUCH_RUNS (1u << 12)

struct touch_run {
	uint64_t block; /* its address + 1; 0: free */
	uint64_t page;
	uint32_t thread;
	uint8_t shift; /* of the page */
	bool sparse;
};

struct touch_runs {
	struct touch_run places[TOUCH_RUNS];
};

/*
 * Pages of 2^shift bytes that are the thread's beside the fault's own, by their numbers; nr 0:
 * nothing is known.
 */
struct touch_stretch {
	uint64_t first, nr;
};

/*
 * The next fault of a thread, in page `page` of 2^shift bytes of the block that begins at `block`;
 * `others`: as in touch_log.h.
 */
struct touch_stretch touch_runs_add(struct touch_runs *runs, uint32_t thread, uint64_t block,
				    uint8_t shift, uint64_t page, uint32_t others);

#endif
