/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_STREAM_H
#define MEMSEARCH_TRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/trace/trace.h"

/*
 * Traces of threads as they are written: accesses, their regions, and synchronisation.
 *
 *     thread 0  ── serial ──┤team│── accesses ──┤barrier│── accesses ──┤end│── serial ──
 *     thread 1              │team│── accesses ──┤barrier│── accesses ──┤end│
 *
 * Each is written by its thread, callbacks allowed. When the pool of all traces is full, `full` is
 * called once.
 */
/* and its words */
enum trace_mark {
	/* region, and the time range (blocks.h) of the accesses that follow: before, now */
	TRACE_PART = 1,
	/* a unique number of the region's execution, and the thread's number in the team */
	TRACE_TEAM,
	TRACE_BARRIER,
	TRACE_TEAM_END,
	/*
	 * of a recorded construct: region and, in the upper 32 bits, the CALL_REGION that leads to
	 * it (0: none), depth, team (lower 32 bits; 0: none), and its threads (0: unknown)
	 */
	TRACE_BEGIN,
	/*
	 * region, depth, executions of the phase (0: it continues after a part), and whether the
	 * record is incomplete
	 */
	TRACE_END,
	/*
	 * of a burst: when it began (thread_clock.h), and the program's time, in ns, that the words
	 * that follow took on the thread
	 */
	TRACE_BURST,
	TRACE_MARKS
};

#define TRACE_DEPTH_SERIAL 0xfffffffeu /* of serial code, … */
#define TRACE_DEPTH_TASK 0xffffffffu   /* … and of a task: these are not nested */

/* Whether threads synchronise at the mark. */
static inline bool trace_is_meeting(uint32_t mark)
{
	return mark == TRACE_TEAM || mark == TRACE_BARRIER || mark == TRACE_TEAM_END;
}

/*
 * flag of a PART's region: the number of a serial part of the execution, whose region is known at
 * its end only
 */
#define TRACE_SERIAL 0x80000000u

/* Trace of one thread, which creates it; never freed. */
struct trace_stream {
	struct trace_streams *of; /* atomic; NULL: not begun */
	struct trace trace;
	uint32_t thread;
	uint64_t entered;       /* team with a written begin and no written end; 0: none */
	uint32_t entered_after; /* clears before that begin */
	uint64_t lost;          /* dropped accesses; atomic */
	/* time limit of `full` on this thread; 0: none. Owner only */
	uint64_t allowed_ns;
};

struct trace_streams {
	struct trace_pool pool;
	uint32_t threads;
	uint32_t clears; /* atomic */
	/* when an entry is dropped, all streams stop: they have the begin of the execution … */
	bool cuts;
	bool cut; /* … stopped, until cleared; atomic */
	/* takes entries of any thread; on a possibly small stack */
	void (*full)(void *ctx, struct trace_stream *stream);
	void *full_ctx;
	/*
	 * limit per thread at which `full` is called, which then takes that thread's entries; 0:
	 * none. Few pieces stay in caches
	 */
	uint32_t most_pieces;
	struct trace_stream streams[]; /* by thread */
};

/* Reserves memory for that number of pieces, touched when used. NULL: no memory. */
struct trace_streams *trace_streams_new(uint32_t threads, uint32_t pieces);
/*
 * For executions of at most this number of words of all threads, one at a time and cleared in
 * between. NULL: no memory.
 */
struct trace_streams *trace_streams_to_play(uint32_t threads, uint64_t words);
void trace_streams_free(struct trace_streams *streams); /* NULL is allowed */
/* Drops all entries. No reader may be within an entry. */
void trace_streams_clear(struct trace_streams *streams);

/* `thread`: dense from 0, the initial thread. NULL: no stream is left. Called by that thread. */
struct trace_stream *trace_stream_begin(struct trace_streams *streams, uint32_t thread);
/* Any thread. */
static inline bool trace_stream_is_begun(const struct trace_stream *stream)
{
	return __atomic_load_n(&stream->of, __ATOMIC_ACQUIRE) != NULL;
}

/* Whether further entries go to the stream: not after something was lost of some. NULL: no. */
bool trace_stream_is_open(const struct trace_stream *stream);
/* Owner only. The begin of the current team is written once. */
void trace_stream_part(struct trace_stream *stream, uint32_t region, uint64_t before, uint64_t now);
void trace_stream_burst(struct trace_stream *stream, uint64_t begin_ns, uint64_t ns);
void trace_stream_team(struct trace_stream *stream, uint64_t team, uint32_t number);
void trace_stream_barrier(struct trace_stream *stream);
void trace_stream_team_end(struct trace_stream *stream);
struct trace_construct {
	uint32_t region, depth, team, threads, call;
};
void trace_stream_begin_construct(struct trace_stream *stream,
				  const struct trace_construct *construct);
void trace_stream_end_construct(struct trace_stream *stream,
				const struct trace_construct *construct, uint32_t executions,
				bool partly);
/* Counts that number of words as dropped. */
void trace_stream_lose(struct trace_stream *stream, uint64_t words);
/*
 * Whole stretches; and the stretches of two iterations of a loop, whose difference is the change
 * per iteration.
 */
void trace_stream_words(struct trace_stream *stream, const uint64_t *words, size_t nr);
void trace_stream_again(struct trace_stream *stream, const uint64_t *words, size_t period,
			uint64_t times);

#endif
