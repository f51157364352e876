/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_WINDOWS_H
#define MEMSEARCH_TRACE_WINDOWS_H

#include "analysis/trace/stream.h"

/*
 * The windows of streams: what threads accessed between two meetings (begin of a team, barrier, end of a team). Thread 0 leads: teams come in the
 * order in which it was in them; teams it was never in come at the end, one after the other. Readers only; one thread at a time.
 */
struct window_thread {
	struct trace_stream *stream;
	uint64_t team;                   /* that it is in, as far as it is read; 0: none */
	uint32_t number;                 /* in its last team; before that its own */
};

struct windows {
	uint32_t nr;
	uint64_t lost_teams;             /* whose place in time is not known */
	struct window_thread *threads;   /* by thread; memory of the caller */
};

void windows_init(struct windows *windows, struct trace_streams *streams, struct window_thread *threads);
/* The thread's next entry is a mark at which threads meet. False: accesses come before it, or nothing is there. */
bool window_is_over(const struct window_thread *thread, struct trace_entry *out);
/* After all accesses of a window were read: advances past the marks to the next accesses. False: no further marks. */
bool windows_pass(struct windows *windows);

#endif
