/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_IN_ORDER_H
#define MEMSEARCH_TRACE_IN_ORDER_H

#include "analysis/trace/stream.h"

/*
 * All accesses in streams, one by one, which takes them: each thread's in its order, windows (windows.h) one after the other, the threads of a window in
 * slices of IN_ORDER_SLICE accesses. A string instruction, and memcpy and the like, is one access that may be long.
 */
#define IN_ORDER_SLICE 32

struct access_in_order {
	uint64_t address, bytes;
	bool read, write;                /* both: one instruction that does both */
	uint32_t thread, region;         /* `region`, and the times between which it was: as TRACE_PART has them */
	uint64_t before, now;
};
typedef bool visit_in_order(void *ctx, const struct access_in_order *access);    /* false: no more are wanted */

/* False: no memory. */
struct arena;
bool in_order(struct arena *arena, struct trace_streams *streams, visit_in_order *visit, void *ctx);

#endif
