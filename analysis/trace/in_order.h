/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_IN_ORDER_H
#define MEMSEARCH_TRACE_IN_ORDER_H

#include "analysis/trace/stream.h"

/*
 * Visits all accesses in streams and consumes them: windows (windows.h) in sequence, the threads of
 * a window in time slices of IN_ORDER_SLICE accesses. A string instruction, memcpy, memmove or
 * memset is one access of many bytes.
 */
#define IN_ORDER_SLICE 32

struct access_in_order {
	uint64_t address, bytes;
	bool read, write; /* both: one instruction that does both */
	/*
	 * region (trace_reader_region gives the run's), and the time range [before, now] of the
	 * access: from TRACE_PART
	 */
	uint32_t thread, region;
	uint64_t before, now;
};
typedef bool visit_in_order(void *ctx, const struct access_in_order *access); /* false: stop */

/* False: no memory. */
struct arena;
bool in_order(struct arena *arena, struct trace_streams *streams, visit_in_order *visit, void *ctx);

#endif
