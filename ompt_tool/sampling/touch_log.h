/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_TOUCH_LOG_H
#define MEMSEARCH_SAMPLING_TOUCH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/arrays/array.h"

/*
 * Page faults of one thread, one by one, until the initial thread has said which data structures
 * they were in: heap blocks are looked up at once, as they may be gone by then; those that are
 * declared are known only once debugging information was read. A queue with one writer, the owner,
 * in callbacks, and one reader, at phase boundaries. Lives in zeroed memory; no malloc, no lock.
 */
/* faults between two readings, 1 GiB in pages of 4 KiB; 16 MiB of address space */
#define TOUCH_LOG_ROOM (1u << 18)
#define TOUCH_NODE_UNKNOWN UINT16_MAX
#define TOUCH_SITE_NONE UINT32_MAX /* the table of sites was full */

struct touch {
	uint64_t address;
	struct array_place place; /* whose it was; ARRAY_NONE: not known by then */
	uint64_t time;            /* of array.h, soon after it */
	uint64_t when_ns;         /* by the kernel's clock, the same for all threads */
	uint32_t site;            /* position in the thread's table of sites */
	uint16_t node;            /* of the thread */
	/* its number in its outermost team, and how many are in that; 0 and 1: it was alone */
	uint16_t core, team;
	uint8_t page_shift; /* the page has 2^this bytes; 0: not known */
	/* faults of the thread before it that are not kept (arrays/touch_runs.h) */
	uint8_t others;
};

struct touch_log {
	uint64_t begin, end; /* atomic; ever read and written */
	uint64_t dropped;    /* atomic; found it full */
	struct touch touches[TOUCH_LOG_ROOM];
};

void touch_log_add(struct touch_log *log, const struct touch *touch);

/*
 * Takes out what several threads' queues hold, earliest first: a page that one thread touched first
 * may fault again on another one, as the kernel's NUMA balancing takes it away for a moment to see
 * who uses it. `sources` is changed; `ctx` of a visit: its source's.
 */
struct touch_source {
	struct touch_log *log;
	void *ctx;
};
typedef void touch_visit(void *ctx, const struct touch *touch);
void touch_log_read(struct touch_source *sources, size_t nr, touch_visit *visit);

#endif
