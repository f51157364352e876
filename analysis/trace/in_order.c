/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the traces of threads into one sequence of accesses. */
#include "analysis/trace/expand.h"
#include "analysis/trace/in_order.h"
#include "analysis/trace/stretch_rows.h"

#include "analysis/base/arena.h"
#include "analysis/trace/stretches.h"
#include "analysis/trace/windows.h"

#define EXPANDED 64 /* lanes of one instruction */

/* A thread and its position in the current entry. */
struct reader {
	struct window_thread *at;
	struct access_in_order access;     /* fields of the last TRACE_PART */
	uint64_t done;                     /* iterations done of a loop */
	uint32_t word;                     /* in the entry, or in one iteration */
	uint64_t words[TRACE_PIECE_WORDS]; /* a stretch of a loop in the current iteration */
};

struct ordering {
	visit_in_order *visit;
	void *ctx;
	bool stopped;
};

static uint64_t put(struct ordering *to, struct reader *reader, const struct record_access *access)
{
	reader->access.address = access->address;
	reader->access.bytes = access->bytes;
	reader->access.read = access->read;
	reader->access.write = access->write;
	to->stopped = to->stopped || !to->visit(to->ctx, &reader->access);
	return 1;
}

/* RECORD_RANGE: written address, read address or 0, bytes. */
static uint64_t put_range(struct ordering *to, struct reader *reader, const uint64_t *stretch)
{
	struct record_access read = { stretch[2], stretch[3], true, false },
			     write = { stretch[1], stretch[3], false, true };

	if (!stretch[3] || stretch[3] > RECORD_BYTES_MOST)
		return 0;
	return (stretch[2] ? put(to, reader, &read) : 0) + put(to, reader, &write);
}

/* Returns the number of accesses. */
static uint64_t put_stretch(struct ordering *to, struct reader *reader,
			    const struct record_stretch *row, const uint64_t *stretch)
{
	struct record_access accesses[EXPANDED];
	uint64_t nr = row->event == RECORD_RANGE ? put_range(to, reader, stretch) : 0;

	for (uint32_t i = 0; i < row->nr_sites && !to->stopped; i++) {
		size_t each = record_expand(record_site(row->first_site + i), stretch, accesses,
					    EXPANDED);

		for (size_t k = 0; k < each && k < EXPANDED && !to->stopped; k++)
			nr += accesses[k].bytes ? put(to, reader, &accesses[k]) : 0;
	}
	return nr;
}

static void next_entry(struct reader *reader)
{
	trace_take(&reader->at->stream->trace);
	reader->done = reader->word = 0;
}

/* The current stretch, in the current iteration; NULL: the rest of the entry is invalid. */
static const uint64_t *stretch_at(struct reader *reader, const struct trace_entry *entry,
				  const struct record_stretch **row_out)
{
	const uint64_t *stretch = entry->words + reader->word;

	*row_out = record_stretch(stretch[0]);
	if (!*row_out || (*row_out)->words >= entry->nr - reader->word)
		return NULL;
	if (entry->kind != TRACE_AGAIN)
		return stretch;
	for (uint32_t i = 0; i <= (*row_out)->words; i++)
		reader->words[i] = stretch[i] + reader->done * entry->amounts[reader->word + i];
	return reader->words;
}

static void pass_stretch(struct reader *reader, const struct trace_entry *entry, uint32_t words)
{
	reader->word += 1 + words;
	if (reader->word < entry->nr)
		return;
	reader->word = 0;
	if (++reader->done >= (entry->kind == TRACE_AGAIN ? entry->times : 1))
		next_entry(reader);
}

static void follow_mark(struct reader *reader, const struct trace_entry *entry)
{
	if (entry->mark == TRACE_PART) {
		reader->access.region = (uint32_t)entry->words[0];
		reader->access.before = entry->words[1];
		reader->access.now = entry->words[2];
	}
	next_entry(reader);
}

/* One stretch, or a mark. */
static uint64_t put_next(struct ordering *to, struct reader *reader,
			 const struct trace_entry *entry)
{
	const struct record_stretch *row;
	const uint64_t *stretch;
	uint64_t nr;

	if (entry->kind == TRACE_MARK) {
		follow_mark(reader, entry);
		return 0;
	}
	stretch = entry->nr ? stretch_at(reader, entry, &row) : NULL;
	if (!stretch) {
		next_entry(reader);
		return 0;
	}
	nr = put_stretch(to, reader, row, stretch);
	pass_stretch(reader, entry, row->words);
	return nr;
}

/* A slice of the thread's accesses. False: nothing is left of the window. */
static bool put_slice(struct ordering *to, struct reader *reader)
{
	struct trace_entry entry;
	uint64_t nr = 0;

	while (nr < IN_ORDER_SLICE && !to->stopped) {
		if (!trace_stream_is_begun(reader->at->stream) ||
		    !trace_look(&reader->at->stream->trace, &entry))
			return false;
		if (entry.kind == TRACE_MARK && trace_is_meeting(entry.mark))
			return false;
		nr += put_next(to, reader, &entry);
	}
	return !to->stopped;
}

static void put_window(struct ordering *to, struct reader *readers, uint32_t nr)
{
	bool any;

	do {
		any = false;
		for (uint32_t i = 0; i < nr; i++)
			any = put_slice(to, &readers[i]) || any;
	} while (any);
}

bool in_order(struct arena *arena, struct trace_streams *streams, visit_in_order *visit, void *ctx)
{
	struct ordering to = { visit, ctx, false };
	struct reader *readers = arena_alloc(arena, streams->threads * sizeof(*readers));
	struct window_thread *threads = arena_alloc(arena, streams->threads * sizeof(*threads));
	struct windows windows;

	if (!readers || !threads)
		return false;
	windows_init(&windows, streams, threads);
	for (uint32_t i = 0; i < windows.nr; i++) {
		readers[i].at = &threads[i];
		readers[i].access.thread = i;
		readers[i].access.region = UINT32_MAX; /* none, as MS_REGION_NONE */
	}
	do {
		put_window(&to, readers, windows.nr);
	} while (!to.stopped && windows_pass(&windows));
	return true;
}
