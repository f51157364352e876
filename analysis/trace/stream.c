/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the traces of all threads. */
#include "analysis/trace/stream.h"

#include "analysis/base/reserve.h"
#include "analysis/trace/stretch_rows.h"
#include "analysis/trace/stretches.h"

static size_t streams_bytes(uint32_t threads)
{
	return sizeof(struct trace_streams) + threads * sizeof(struct trace_stream);
}

struct trace_streams *trace_streams_new(uint32_t threads, uint32_t pieces)
{
	struct trace_streams *streams = reserve(streams_bytes(threads));
	struct trace_piece *memory = reserve(pieces * sizeof(*memory));

	if (!streams || !memory) {
		reserve_undo(streams, streams_bytes(threads));
		reserve_undo(memory, pieces * sizeof(*memory));
		return NULL;
	}
	streams->threads = threads;
	trace_pool_init(&streams->pool, memory, pieces);
	return streams;
}

/*
 * An entry does not cross the end of a piece: pieces are at least half full. In addition each
 * thread has a begun piece and keeps the last one of the previous execution.
 */
struct trace_streams *trace_streams_to_play(uint32_t threads, uint64_t words)
{
	uint64_t pieces = 2 * words / TRACE_PIECE_WORDS + 2 * (uint64_t)threads + 1;

	return pieces <= UINT32_MAX ? trace_streams_new(threads, (uint32_t)pieces) : NULL;
}

void trace_streams_free(struct trace_streams *streams)
{
	if (!streams)
		return;
	reserve_undo(streams->pool.pieces, streams->pool.nr * sizeof(*streams->pool.pieces));
	reserve_undo(streams, streams_bytes(streams->threads));
}

void trace_streams_clear(struct trace_streams *streams)
{
	struct trace_entry entry;

	__atomic_fetch_add(&streams->clears, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&streams->cut, false, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < streams->threads; i++) {
		__atomic_store_n(&streams->streams[i].lost, 0, __ATOMIC_RELAXED);
		while (trace_stream_is_begun(&streams->streams[i]) &&
		       trace_look(&streams->streams[i].trace, &entry))
			trace_take(&streams->streams[i].trace);
	}
}

struct trace_stream *trace_stream_begin(struct trace_streams *streams, uint32_t thread)
{
	struct trace_stream *stream = thread < streams->threads ? &streams->streams[thread] : NULL;

	if (!stream)
		return NULL;
	stream->trace.pool = &streams->pool;
	stream->trace.most = streams->most_pieces;
	stream->thread = thread;
	__atomic_store_n(&stream->of, streams, __ATOMIC_RELEASE);
	return stream;
}

static void make_room(struct trace_stream *stream)
{
	if (stream->of->full)
		stream->of->full(stream->of->full_ctx, stream);
}

static bool is_cut(const struct trace_stream *stream)
{
	return stream->of->cuts && __atomic_load_n(&stream->of->cut, __ATOMIC_RELAXED);
}

bool trace_stream_is_open(const struct trace_stream *stream)
{
	return stream && !is_cut(stream);
}

void trace_stream_lose(struct trace_stream *stream, uint64_t words)
{
	__atomic_store_n(&stream->of->cut, true, __ATOMIC_RELAXED);
	__atomic_fetch_add(&stream->lost, words, __ATOMIC_RELAXED);
}

/* Calls `full` once, then tries again. */
#define PUT(stream, put, accesses) \
	do { \
		if (!is_cut(stream) && (put)) \
			break; \
		if (!is_cut(stream)) \
			make_room(stream); \
		if (is_cut(stream) || !(put)) \
			trace_stream_lose(stream, accesses); \
	} while (0)

static void put_mark(struct trace_stream *stream, enum trace_mark mark, const uint64_t *words,
		     size_t nr)
{
	PUT(stream, trace_put_mark(&stream->trace, mark, words, nr), 1);
}

void trace_stream_part(struct trace_stream *stream, uint32_t region, uint64_t before, uint64_t now)
{
	put_mark(stream, TRACE_PART, (uint64_t[]){ region, before, now }, 3);
}

void trace_stream_burst(struct trace_stream *stream, uint64_t begin_ns, uint64_t ns)
{
	put_mark(stream, TRACE_BURST, (uint64_t[]){ begin_ns, ns }, 2);
}

void trace_stream_team(struct trace_stream *stream, uint64_t team, uint32_t number)
{
	uint32_t clears = __atomic_load_n(&stream->of->clears, __ATOMIC_RELAXED);

	if (stream->entered == team && stream->entered_after == clears)
		return;
	stream->entered = team;
	stream->entered_after = clears;
	put_mark(stream, TRACE_TEAM, (uint64_t[]){ team, number }, 2);
}

void trace_stream_barrier(struct trace_stream *stream)
{
	put_mark(stream, TRACE_BARRIER, NULL, 0);
}

void trace_stream_team_end(struct trace_stream *stream)
{
	stream->entered = 0;
	put_mark(stream, TRACE_TEAM_END, NULL, 0);
}

void trace_stream_begin_construct(struct trace_stream *stream,
				  const struct trace_construct *construct)
{
	put_mark(stream, TRACE_BEGIN,
		 (uint64_t[]){ (uint64_t)construct->call << 32 | construct->region,
			       construct->depth, construct->team, construct->threads },
		 4);
}

void trace_stream_end_construct(struct trace_stream *stream,
				const struct trace_construct *construct, uint32_t executions,
				bool partly)
{
	put_mark(stream, TRACE_END,
		 (uint64_t[]){ construct->region, construct->depth, executions, partly }, 4);
}

/* Whole stretches of at most `room` words; 0: the first has more. */
static size_t whole_stretches(const uint64_t *words, size_t nr, size_t room)
{
	size_t whole = nr <= room ? nr : 0;

	while (whole < nr) {
		const struct record_stretch *row = record_stretch(words[whole]);
		size_t next = row ? whole + 1 + row->words : nr + 1;

		if (next > nr || next > room)
			break;
		whole = next;
	}
	return whole;
}

void trace_stream_words(struct trace_stream *stream, const uint64_t *words, size_t nr)
{
	while (nr) {
		size_t whole = whole_stretches(words, nr, TRACE_ENTRY_MAX - 1);

		if (!whole) {
			trace_stream_lose(stream, 1);
			return;
		}
		PUT(stream, trace_put_words(&stream->trace, words, whole), whole);
		words += whole;
		nr -= whole;
	}
}

void trace_stream_again(struct trace_stream *stream, const uint64_t *words, size_t period,
			uint64_t times)
{
	if (2 * period + 1 < TRACE_ENTRY_MAX)
		PUT(stream, trace_put_again(&stream->trace, words, period, times), times);
	else
		trace_stream_words(stream, words, period * times);
}
