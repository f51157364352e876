/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_STREAM_H
#define MEMSEARCH_TRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/trace/trace.h"

/*
 * Threads' traces as they are written: what each accessed, whose region it was, and where threads meet.
 *
 *     thread 0  ── serial ──┤team│── accesses ──┤barrier│── accesses ──┤end│── serial ──
 *     thread 1              │team│── accesses ──┤barrier│── accesses ──┤end│
 *
 * Written by their threads, callbacks allowed. When the pool of all traces is full, somebody is asked once to make room.
 */
enum trace_mark {                        /* and the words of it */
	TRACE_PART = 1,                  /* region, and the times of blocks (blocks.h) between which what follows was recorded: before, now */
	TRACE_TEAM,                      /* a number that no other execution of a parallel region has, and the thread's in the team */
	TRACE_BARRIER,
	TRACE_TEAM_END,
	TRACE_BEGIN,                     /* of a construct that is recorded: region, depth, team (as in TEAM, 32 bits of it; 0: none), and threads of that (0: not known) */
	TRACE_END,                       /* region, depth, executions of the phase (0: it continues after a part), and whether some of it was not recorded */
	TRACE_MARKS
};

#define TRACE_DEPTH_SERIAL 0xfffffffeu   /* of a serial stretch, … */
#define TRACE_DEPTH_TASK 0xffffffffu     /* … and of a task: these are in no nest */

/* Whether threads meet at the mark. */
static inline bool trace_is_meeting(uint32_t mark) { return mark == TRACE_TEAM || mark == TRACE_BARRIER || mark == TRACE_TEAM_END; }

#define TRACE_SERIAL 0x80000000u         /* of a PART's region: it is the number of a serial stretch of the execution, whose region is known at its end only */

/* One thread's; made by it, never freed. */
struct trace_stream {
	struct trace_streams *of;        /* atomic; NULL: no thread has it yet */
	struct trace trace;
	uint32_t thread;
	uint64_t entered;                /* team whose begin was put in last, unless its end, too; 0: none */
	uint32_t entered_after;          /* clears before that */
	uint64_t lost;                   /* accesses that found no room; atomic */
	uint64_t allowed_ns;             /* that making room on this thread may take; 0: any time. Owner only */
};

struct trace_streams {
	struct trace_pool pool;
	uint32_t threads;
	uint32_t clears;                 /* atomic */
	bool cuts;                       /* when something finds no room nothing more is put into any stream: what there is is the begin of all … */
	bool cut;                        /* … and that is so; until they are cleared; atomic */
	void (*full)(void *ctx, struct trace_stream *stream);    /* takes entries of any thread; on a stack that may be small */
	void *full_ctx;
	uint32_t most_pieces;            /* that a thread may have before `full` is called, which then takes its own; 0: all. What is in few pieces stays in caches */
	struct trace_stream streams[];   /* by thread */
};

/* Reserves memory for that number of pieces, which are touched as they are needed. NULL: no memory. */
struct trace_streams *trace_streams_new(uint32_t threads, uint32_t pieces);
/* With room for executions of at most that many words of all threads, played one after the other and cleared in between. NULL: no memory. */
struct trace_streams *trace_streams_to_play(uint32_t threads, uint64_t words);
void trace_streams_free(struct trace_streams *streams);   /* NULL is allowed */
/* What is left in the traces is forgotten. No entry may be under way on a reader. */
void trace_streams_clear(struct trace_streams *streams);

/* `thread`: dense from 0, the initial one. NULL: more threads than there are streams. Any thread, for itself. */
struct trace_stream *trace_stream_begin(struct trace_streams *streams, uint32_t thread);
/* Somebody began it. Any thread. */
static inline bool trace_stream_is_begun(const struct trace_stream *stream)
{
	return __atomic_load_n(&stream->of, __ATOMIC_ACQUIRE) != NULL;
}

/* Owner only. A team that it is in already begins no other time. */
void trace_stream_part(struct trace_stream *stream, uint32_t region, uint64_t before, uint64_t now);
void trace_stream_team(struct trace_stream *stream, uint64_t team, uint32_t number);
void trace_stream_barrier(struct trace_stream *stream);
void trace_stream_team_end(struct trace_stream *stream);
struct trace_construct { uint32_t region, depth, team, threads; };
void trace_stream_begin_construct(struct trace_stream *stream, const struct trace_construct *construct);
void trace_stream_end_construct(struct trace_stream *stream, const struct trace_construct *construct, uint32_t executions, bool partly);
/* As if that number of words had found no room. */
void trace_stream_lose(struct trace_stream *stream, uint64_t words);
/* Whole stretches; and the stretches of two times of a loop, whose difference is the amounts. */
void trace_stream_words(struct trace_stream *stream, const uint64_t *words, size_t nr);
void trace_stream_again(struct trace_stream *stream, const uint64_t *words, size_t period, uint64_t times);

#endif
