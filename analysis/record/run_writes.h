/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_WRITES_H
#define MEMSEARCH_RECORD_RUN_WRITES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run_arrays.h"

/* Pages of arrays that executions of the phase wrote, in a run (run.h; --page-writes). */

#define RUN_PAGES_WRITTEN "written"
#define RUN_PAGES_UNWRITTEN "unwritten" /* read, or not used: which is not known */
#define RUN_PAGES_GONE "gone"           /* unmapped, moved or swapped meanwhile: not known */
#define RUN_PAGES_HUGE "huge"           /* not watched, because the kernel would split them */
#define RUN_PAGES_OTHER "other" /* not watched: shared, of a file, not in memory, over budget */

/* Pages of an array with one state, and of written ones one first writer. */
struct run_write {
	uint32_t array;
	const char *state; /* one of the above */
	/*
	 * whose write was the first in these executions; RUN_THREAD_UNKNOWN, RUN_PLACE_UNKNOWN: not
	 * measured, or not written
	 */
	uint32_t thread, node;
	uint64_t pages; /* of the system's size; one that was watched stands for its neighbours */
	uint64_t every; /* one page in this number was watched; 0: none */
	/* watched ones, by address */
	size_t nr_ranges;
	struct run_pages *ranges;
};

/* How they were observed. */
struct run_writing {
	uint64_t page_bytes; /* 0: not requested */
	const char *why;     /* why no page was watched; NULL: some were */
	const char *threads; /* why writers are not measured; NULL: they are */
	uint64_t executions; /* of the phase, in which pages were watched */
	uint64_t watched;    /* pages */
	double ns;           /* that protecting and reading took */
};

#endif
