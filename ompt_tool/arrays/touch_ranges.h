/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_TOUCH_RANGES_H
#define MEMSEARCH_ARRAYS_TOUCH_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * First touches as ranges of pages: consecutive pages of an array with one row of first_touches.
 * Of an array with too many ranges one page in each group of `every` pages stands for the group, at a
 * place that varies, so that threads in turns do not keep step with it. At the end; not in callbacks.
 */
struct arena;
struct first_touches;

/* ranges of one array; with many arrays each gets fewer, but not below TOUCH_RANGES_LEAST */
#define TOUCH_RANGES_MOST 1024
#define TOUCH_RANGES_LEAST 64
#define TOUCH_RANGES_ALL 65536

struct touch_range {
	uint64_t page, pages; /* address / page size of the first one */
	uint32_t row;
};

struct touch_ranges {
	struct touch_range *items; /* by row, then by page */
	size_t nr, room;
	uint64_t *every; /* by row */
};

/* False: no memory. In the arena. */
bool touch_ranges_of(struct arena *arena, const struct first_touches *touches,
		     struct touch_ranges *out);

#endif
