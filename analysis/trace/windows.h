/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_WINDOWS_H
#define MEMSEARCH_TRACE_WINDOWS_H

#include "analysis/trace/stream.h"

/*
 * A window has the accesses of all threads between two synchronisation points (begin of a team,
 * barrier, end of a team). Teams are in thread 0's order; teams without thread 0 follow at the end.
 * Readers only; one thread at a time.
 */
struct window_thread {
	struct trace_stream *stream;
	uint64_t team;   /* current team; 0: none */
	uint32_t number; /* in its last team; before the first one its own number */
};

struct windows {
	uint32_t nr;
	uint64_t lost_teams;           /* without thread 0: their time is unknown */
	struct window_thread *threads; /* by thread; memory of the caller */
};

void windows_init(struct windows *windows, struct trace_streams *streams,
		  struct window_thread *threads);
/*
 * Whether the thread's next entry is a synchronisation mark. False: accesses come first, or there
 * is no entry.
 */
bool window_is_over(const struct window_thread *thread, struct trace_entry *out);
/* When all accesses of a window are read: advances past the marks. False: no further marks. */
bool windows_pass(struct windows *windows);

#endif
