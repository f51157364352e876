/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_TOUCH_LOG_H
#define MEMSEARCH_SAMPLING_TOUCH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/arrays/array.h"

/*
 * Queue of one thread's page faults, until the initial thread has attributed them to data
 * structures: heap blocks are looked up at once, because they may be freed later; declared
 * variables are known only after debugging information was read. One writer, the owner, in
 * callbacks, and one reader, at phase boundaries. Lives in zeroed memory; no malloc, no lock.
 */
/* faults between two readings, 1 GiB in pages of 4 KiB; 16 MiB of address space */
#define TOUCH_LOG_ROOM (1u << 18)
#define TOUCH_NODE_UNKNOWN UINT16_MAX
#define TOUCH_SITE_NONE UINT32_MAX /* the table of sites was full */

struct touch {
	uint64_t address;
	struct array_place place; /* array of the address; ARRAY_NONE: not known at that time */
	uint64_t time;            /* of array.h, soon after the fault */
	uint64_t when_ns;         /* kernel clock, common to all threads */
	uint32_t site;            /* position in the thread's table of sites */
	uint16_t node;            /* of the thread */
	/* index in its outermost team, and the team's size; 0 and 1: serial code */
	uint16_t core, team;
	uint8_t page_shift; /* log2 of the page size; 0: unknown */
	/* unsampled faults of the thread before it (arrays/touch_runs.h) */
	uint8_t others;
};

struct touch_log {
	uint64_t begin, end; /* atomic; ever read and written */
	uint64_t dropped;    /* atomic; faults dropped because it was full */
	struct touch touches[TOUCH_LOG_ROOM];
};

void touch_log_add(struct touch_log *log, const struct touch *touch);

/*
 * Removes the contents of several threads' queues in order of time: a page that one thread touched
 * first may fault again on another one, because the kernel's NUMA balancing unmaps it temporarily
 * to find its users. `sources` is changed; `ctx` of a visit: its source's.
 */
struct touch_source {
	struct touch_log *log;
	void *ctx;
};
typedef void touch_visit(void *ctx, const struct touch *touch);
void touch_log_read(struct touch_source *sources, size_t nr, touch_visit *visit);

#endif
