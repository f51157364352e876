/* SPDX-License-Identifier: Apache-2.0 */
/* From the threads' streams to the record. */
#include "ompt_tool/sensors/keeping.h"

#include <unistd.h>

#include "analysis/base/memory_left.h"
#include "analysis/base/own_stack.h"
#include "analysis/base/spin.h"
#include "analysis/base/thread_clock.h"
#include "analysis/trace/page_touches.h"
#include "analysis/trace/simulation.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/sensors/accesses.h"
#include "ompt_tool/sensors/tracing.h"

#define THREADS 1024                     /* beyond, what is recorded of a thread is not kept */
#define EXECUTIONS 16                    /* of a run */
#define CUT_SHORT 2                      /* of them, at most: these are large */
#define PIECES_AT_ONCE 8                 /* of a thread as they were recorded: 512 KiB */
#define DRAINED_BYTES ((uint64_t)48 << 20)       /* of an execution, in memory until it has ended; … */
#define DRAINED_LIMITED ((uint64_t)4 << 20)      /* … where addresses are limited, … */
#define DRAINED_PART 16                  /* … and where memory is, this part of what is left at most */

static struct {
	struct kept_writer writer;
	kept_write *write;
	void *ctx;
	uint64_t most, bytes;            /* of the record, and in it */
	uint32_t executions, cut_short;  /* kept; and of these the begin alone */
	uint64_t since;                  /* array_time() when the one before ended */
	struct keeping_losses losses;
	uint64_t room;                   /* of DRAINED_BYTES; atomic */
	struct {
		int busy;                /* somebody reads the thread's stream, which one may at a time */
		struct kept_drained drained;
	} threads[THREADS];
} keeping;

/* With signals blocked: who waits for it at a boundary does so, too. */
static void drain_here(void *argument)
{
	struct trace_stream *stream = argument;
	struct kept_drained *drained = &keeping.threads[stream->thread].drained;
	bool drains = spin_lock_within(&keeping.threads[stream->thread].busy, 1);

	drained->room = &keeping.room;
	if (!drains || !kept_drain(drained, stream))
		trace_stream_lose(stream, 1);
	if (drains)
		spin_unlock(&keeping.threads[stream->thread].busy);
}

/* In the stream's thread: there is no room for more in the streams. */
static void drain(void *ctx, struct trace_stream *stream)
{
	(void)ctx;
	own_stack_call(drain_here, stream);
}

static const struct kept_drained *drained_of(void *ctx, uint32_t thread)
{
	(void)ctx;
	return thread < THREADS && keeping.threads[thread].drained.arena ? &keeping.threads[thread].drained : NULL;
}

static void forget_drained(const struct trace_streams *streams)
{
	for (uint32_t thread = 0; thread < streams->threads; thread++)
		if (drained_of(NULL, thread))
			kept_forget(&keeping.threads[thread].drained);
}

static bool write_piece(void *ctx, const uint8_t *bytes, size_t nr)
{
	(void)ctx;
	keeping.bytes += nr;
	return keeping.bytes <= keeping.most && keeping.write(keeping.ctx, bytes, nr);
}

/* The program may need all that there is. */
static uint64_t room_to_drain(void)
{
	uint64_t most = memory_left_to_map().bytes == SIZE_MAX ? DRAINED_BYTES : DRAINED_LIMITED, part = memory_left_to_touch("").bytes / DRAINED_PART;

	return part < most ? part : most;
}

bool keeping_start(struct arena *arena, uint64_t most_bytes, kept_write *write, void *ctx)
{
	if (!most_bytes || !tracing_start(THREADS, true))
		return false;
	page_touches_start((uint64_t)sysconf(_SC_PAGESIZE));
	keeping.writer = (struct kept_writer){ .buffer.arena = arena, .write = write_piece };
	keeping.write = write;
	keeping.ctx = ctx;
	keeping.most = most_bytes;
	keeping.room = room_to_drain();
	tracing_streams()->full = drain;
	tracing_streams()->most_pieces = PIECES_AT_ONCE;
	tracing_streams()->cuts = true;
	return true;
}

bool keeping_is_on(void)
{
	return keeping.write && !keeping.writer.failed && keeping.executions < EXECUTIONS;
}

struct keeping_losses keeping_losses(void) { return keeping.losses; }

static void each_block(void *ctx, void (*visit)(void *of, const struct blocks_row *row), void *of)
{
	(void)ctx;
	array_blocks_each(keeping.since, visit, of);
}

static uint64_t lost(const struct trace_streams *streams)
{
	uint64_t accesses = 0;

	for (uint32_t i = 0; i < streams->threads; i++)
		accesses += __atomic_load_n(&streams->streams[i].lost, __ATOMIC_RELAXED);
	return accesses;
}

static bool has_accesses(const struct trace_stream *stream)
{
	struct trace reader = stream->trace;
	struct trace_entry entry;

	if (drained_of(NULL, stream->thread))
		return true;
	for (; trace_look(&reader, &entry); trace_pass(&reader))
		if (entry.kind != TRACE_MARK)
			return true;
	return false;
}

/* Where a region that was asked for did not run there are marks alone. */
static bool is_of_use(const struct trace_streams *streams)
{
	for (uint32_t i = 0; i < streams->threads; i++)
		if (trace_stream_is_begun(&streams->streams[i]) && has_accesses(&streams->streams[i]))
			return true;
	return false;
}

static void keep(const struct trace_streams *streams, bool cut_short)
{
	struct kept_facts facts = { .each_block = each_block, .drained = drained_of };
	struct kept_execution *of = &facts.execution;

	of->stack_end = array_places()->stack_end;
	of->page_shift = page_touches_shift();
	of->rest = array_rest_of();
	of->serials = tracing_serials(&of->nr_serials);
	if (!kept_put(&keeping.writer, streams, &facts)) {
		keeping.losses.at_limit += keeping.bytes > keeping.most;
		return;
	}
	keeping.executions++;
	keeping.cut_short += cut_short;
}

/* In a region that goes on over the boundary others may drain theirs meanwhile; these wait for no other thread. */
static void lock_all(const struct trace_streams *streams)
{
	for (uint32_t i = 0; i < streams->threads; i++)
		spin_lock(&keeping.threads[i].busy);
}

static void unlock_all(const struct trace_streams *streams)
{
	for (uint32_t i = 0; i < streams->threads; i++)
		spin_unlock(&keeping.threads[i].busy);
}

void keeping_fold(const struct thread *thread)
{
	struct trace_streams *streams = tracing_streams();
	uint64_t begin_ns = thread_clock_ns();
	bool cut_short;

	if (!keeping.write || !tracing_is_on())
		return;
	lock_all(streams);
	cut_short = lost(streams) > 0;
	if (cut_short && keeping.cut_short == CUT_SHORT)
		keeping.losses.executions++;
	else if (!tracing_is_put_off() && !accesses_used_up() && keeping_is_on() && is_of_use(streams))
		keep(streams, cut_short);
	forget_drained(streams);
	tracing_forget();
	unlock_all(streams);
	keeping.since = array_time();
	accesses_spend(thread, thread_clock_ns() - begin_ns);
}
