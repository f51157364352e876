/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_TOUCH_RUNS_H
#define MEMSEARCH_ARRAYS_TOUCH_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Infers the pages that a thread touched between two sampled page faults, if one fault in
 * TOUCH_SPARSE is sampled. Pages in between belong to the thread if the next sampled fault in the
 * same block is not more pages away than faults can have happened.
 *
 *     sampled      ·  ·  ·  ·  ·  sampled      up to 1.5 * TOUCH_SPARSE pages apart: all pages
 *                                              between are the thread's
 *     begin ·  ·  ·  ·  sampled                its first one in the block: also those before it,
 *                                              if they are fewer than TOUCH_SPARSE
 *     sampled      (further apart)  sampled    the pages between are unknown
 *
 * The kernel counts faults exactly. If a thread touches a block page by page, or several blocks in
 * turn, the number of faults between two samples equals the number of pages; with every second page
 * or random order the samples are further apart. Errors: pages in such a gap that another thread
 * touched instead, and some pages at the end of a thread's part. One writer, at phase boundaries;
 * lives in zeroed memory.
 */
/* sampling period of faults; a prime (sensors/faults.c) */
#define TOUCH_SPARSE 61
#define TOUCH_FURTHEST (TOUCH_SPARSE + TOUCH_SPARSE / 2)
/* entries by thread and block, some share an entry: then pages between are unknown */
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

/* Further pages of 2^shift bytes that the thread touched, by page number; nr 0: unknown. */
struct touch_stretch {
	uint64_t first, nr;
};

/*
 * The thread's next sampled fault, in page `page` of 2^shift bytes of the block that begins at
 * `block`; `others`: unsampled faults before it, as in touch_log.h.
 */
struct touch_stretch touch_runs_add(struct touch_runs *runs, uint32_t thread, uint64_t block,
				    uint8_t shift, uint64_t page, uint32_t others);

#endif
