/* SPDX-License-Identifier: Apache-2.0 */
/* Traces into bytes. */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/own_memory.h"
#include "analysis/trace/former.h"
#include "analysis/trace/kept.h"
#include "analysis/trace/page_touches.h"
#include "analysis/trace/stretches.h"

/* ------------------------------------------------------------------ pieces */

static void begin(struct kept_writer *writer, enum kept_kind kind)
{
	writer->buffer.nr = 0;
	put_varint(&writer->buffer, kind);
}

static void end(struct kept_writer *writer)
{
	writer->failed |= writer->buffer.failed;
	if (!writer->failed && !writer->write(writer->ctx, writer->buffer.bytes, writer->buffer.nr))
		writer->failed = true;
}

/* True: a new piece of the kind has begun. */
static bool go_on(struct kept_writer *writer, enum kept_kind kind)
{
	if (writer->buffer.nr < KEPT_PIECE)
		return false;
	end(writer);
	begin(writer, kind);
	return true;
}

/* ------------------------------------------------------------------ rows */

static void put_site(struct buffer *buffer, const struct record_site *site)
{
	put_varint(buffer, site->address);
	put_varint(buffer, zigzag(site->displacement));
	put_varint(buffer, site->loop);
	put_varint(buffer, site->size);
	put_varint(buffer, site->base_word);
	put_varint(buffer, site->index_word);
	put_varint(buffer, site->mask_word);
	put_varint(buffer, site->count_word);
	put_varint(buffer, site->left_word);
	put_byte(buffer, site->access);
	put_byte(buffer, site->scale);
	put_byte(buffer, site->lanes);
	put_byte(buffer, site->index_size);
	put_byte(buffer, site->mask_size);
	put_byte(buffer, (uint8_t)(site->read | site->write << 1 | site->is_float << 2 | site->non_temporal << 3));
}

static void put_sites(struct kept_writer *writer)
{
	uint32_t nr = record_nr_sites();

	for (bool first = true; writer->sites < nr && !writer->failed; writer->sites++, first = false) {
		if (first)
			begin(writer, KEPT_SITES);
		if (first || go_on(writer, KEPT_SITES))
			put_varint(&writer->buffer, writer->sites);
		put_site(&writer->buffer, record_site(writer->sites));
		if (writer->sites + 1 == nr)
			end(writer);
	}
}

static void put_stretches(struct kept_writer *writer)
{
	uint32_t nr = __atomic_load_n(&record_stretches.nr, __ATOMIC_ACQUIRE);

	writer->stretches += !writer->stretches; /* number 0 is none */
	for (bool first = true; writer->stretches < nr && !writer->failed; writer->stretches++, first = false) {
		const struct record_stretch *row = record_stretch(writer->stretches);

		if (first)
			begin(writer, KEPT_STRETCHES);
		if (first || go_on(writer, KEPT_STRETCHES))
			put_varint(&writer->buffer, writer->stretches);
		put_varint(&writer->buffer, row->first_site);
		put_varint(&writer->buffer, row->nr_sites);
		put_varint(&writer->buffer, row->words);
		put_byte(&writer->buffer, row->event);
		if (writer->stretches + 1 == nr)
			end(writer);
	}
}

/* ------------------------------------------------------------------ blocks and pages */

struct blocks_under_way { struct kept_writer *writer; struct blocks_row last; };

static void put_block(void *ctx, const struct blocks_row *row)
{
	struct blocks_under_way *under_way = ctx;
	struct buffer *buffer = &under_way->writer->buffer;

	if (go_on(under_way->writer, KEPT_BLOCKS))
		under_way->last = (struct blocks_row){ 0 };
	put_varint(buffer, zigzag((int64_t)(row->start - under_way->last.start)));
	put_varint(buffer, row->bytes);
	put_varint(buffer, row->array);
	put_varint(buffer, zigzag((int64_t)(row->born - under_way->last.born)));
	put_varint(buffer, row->died == BLOCKS_LIVE ? 0 : row->died);
	under_way->last = *row;
}

static void put_blocks(struct kept_writer *writer, const struct kept_facts *facts)
{
	struct blocks_under_way under_way = { writer, { 0 } };

	begin(writer, KEPT_BLOCKS);
	facts->each_block(facts->ctx, put_block, &under_way);
	end(writer);
}

struct pages_under_way { struct kept_writer *writer; uint64_t first, nr; uint32_t touch; };

static void put_run(struct pages_under_way *pages)
{
	struct buffer *buffer = &pages->writer->buffer;

	if (!pages->nr)
		return;
	go_on(pages->writer, KEPT_PAGES);
	put_varint(buffer, pages->first);
	put_varint(buffer, pages->touch);
	put_varint(buffer, pages->nr - 1);
}

static void put_page(void *ctx, uint64_t page, uint32_t touch)
{
	struct pages_under_way *pages = ctx;

	if (pages->nr && page == pages->first + pages->nr && touch == pages->touch) {
		pages->nr++;
		return;
	}
	put_run(pages);
	pages->first = page;
	pages->nr = 1;
	pages->touch = touch;
}

static void put_pages(struct kept_writer *writer)
{
	struct pages_under_way pages = { .writer = writer };

	begin(writer, KEPT_PAGES);
	page_touches_words(put_page, &pages);
	put_run(&pages);
	end(writer);
}

/* ------------------------------------------------------------------ words */

struct words_under_way {
	struct kept_writer *writer;
	uint64_t thread, lost;
	struct former former;
};

/* Into memory that has room; returns where it ends. */
static inline uint8_t *store_varint(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)value | 0x80;
	*at++ = (uint8_t)value;
	return at;
}

static uint8_t *store_words(struct words_under_way *words, uint8_t *at, const uint64_t *stretch, uint32_t nr)
{
	uint64_t *last = former_of(&words->former, stretch[0], nr);

	at = store_varint(at, stretch[0]);
	for (uint32_t i = 1; i < nr; i++) {
		at = store_varint(at, zigzag((int64_t)(stretch[i] - last[i])));
		last[i] = stretch[i];
	}
	return at;
}

/* False: they are no stretches, a signal handler got in between (stretches.h). */
static bool put_words(struct words_under_way *words, const uint64_t *of, uint32_t nr)
{
	struct buffer *buffer = &words->writer->buffer;
	uint8_t *at;

	if (!buffer_need(buffer, (size_t)nr * VARINT_BYTES))
		return true;
	at = buffer->bytes + buffer->nr;
	for (uint32_t each; nr; nr -= each, of += each) {
		const struct record_stretch *row = record_stretch(of[0]);

		if (!row || row->words >= nr)
			return false;
		each = 1 + row->words;
		at = store_words(words, at, of, each);
	}
	buffer->nr = (size_t)(at - buffer->bytes);
	return true;
}

static void begin_words(struct words_under_way *words)
{
	put_varint(&words->writer->buffer, words->thread);
	former_begin(&words->former);
}

/* The words before them were changed by what is not there. */
static void leave_out(struct words_under_way *words, size_t end_of_last, uint32_t nr)
{
	words->lost += nr;
	words->writer->buffer.nr = end_of_last;
	end(words->writer);
	begin(words->writer, KEPT_WORDS);
	begin_words(words);
}

static void put_entry(struct words_under_way *words, const struct trace_entry *entry)
{
	struct buffer *buffer = &words->writer->buffer;
	size_t end_of_last;

	if (go_on(words->writer, KEPT_WORDS))
		begin_words(words);
	end_of_last = buffer->nr;
	put_byte(buffer, (uint8_t)entry->kind);
	put_varint(buffer, entry->nr);
	if (entry->kind == TRACE_MARK) {
		put_varint(buffer, entry->mark);
		for (uint32_t i = 0; i < entry->nr; i++)
			put_varint(buffer, entry->words[i]);
		return;
	}
	if (entry->kind == TRACE_AGAIN)
		put_varint(buffer, entry->times);
	if (!put_words(words, entry->words, entry->nr)) {
		leave_out(words, end_of_last, entry->nr);
		return;
	}
	for (uint32_t i = 0; entry->kind == TRACE_AGAIN && i < entry->nr; i++)
		put_varint(buffer, zigzag((int64_t)entry->amounts[i]));
}

/* All that is in it; it stays there. Returns how many words it takes, heads and all. */
static uint64_t put_stream(struct kept_writer *writer, struct words_under_way *words, const struct trace_stream *stream)
{
	struct trace reader = stream->trace;
	struct trace_entry entry;
	uint64_t nr = 0;

	words->thread = stream->thread;
	begin(writer, KEPT_WORDS);
	begin_words(words);
	for (; trace_look(&reader, &entry) && !writer->failed; trace_pass(&reader)) {
		put_entry(words, &entry);
		nr += 2 + entry.nr * (entry.kind == TRACE_AGAIN ? 2 : 1);
	}
	end(writer);
	return nr;
}

static void put_execution(struct kept_writer *writer, const struct kept_execution *execution)
{
	struct buffer *buffer = &writer->buffer;

	begin(writer, KEPT_EXECUTION);
	put_varint(buffer, execution->stack_end);
	put_varint(buffer, execution->page_shift);
	put_varint(buffer, execution->rest.array);
	put_varint(buffer, execution->rest.low);
	put_varint(buffer, execution->rest.high);
	put_varint(buffer, execution->words);
	put_varint(buffer, execution->threads);
	put_varint(buffer, execution->lost);
	put_varint(buffer, execution->nr_serials);
	for (uint32_t i = 0; i < execution->nr_serials; i++)
		put_varint(buffer, execution->serials[i]);
	end(writer);
}

/* ------------------------------------------------------------------ before an execution has ended */

struct kept_bytes { struct kept_bytes *next; size_t nr; uint8_t bytes[]; };

static bool take_room(struct kept_drained *drained, uint64_t bytes)
{
	uint64_t room = __atomic_load_n(drained->room, __ATOMIC_RELAXED);

	do {
		if (bytes > room)
			return false;
	} while (!__atomic_compare_exchange_n(drained->room, &room, room - bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	drained->taken += bytes;
	return true;
}

static bool append_piece(void *ctx, const uint8_t *bytes, size_t nr)
{
	struct kept_drained *drained = ctx;
	struct kept_bytes *piece = take_room(drained, nr) ? arena_alloc(drained->arena, sizeof(*piece) + nr) : NULL;

	if (!piece)
		return false;
	piece->next = NULL;
	piece->nr = nr;
	memcpy(piece->bytes, bytes, nr);
	*drained->last = piece;
	drained->last = &piece->next;
	return true;
}

static bool begin_draining(struct kept_drained *drained)
{
	drained->arena = drained->arena ? drained->arena : arena_new();
	if (!drained->arena || drained->under_way)
		return drained->arena;
	drained->under_way = arena_alloc(drained->arena, sizeof(*drained->under_way));
	drained->writer = (struct kept_writer){ .buffer.arena = drained->arena, .write = append_piece, .ctx = drained };
	drained->last = &drained->first;
	if (drained->under_way)
		*drained->under_way = (struct words_under_way){ .writer = &drained->writer };
	return drained->under_way;
}

bool kept_drain(struct kept_drained *drained, struct trace_stream *stream)
{
	struct trace_entry entry;

	if (!begin_draining(drained))
		return false;
	drained->words += put_stream(&drained->writer, drained->under_way, stream);
	drained->lost = drained->under_way->lost;
	while (trace_look(&stream->trace, &entry))       /* also what found no room, or its begin would come twice */
		trace_take(&stream->trace);
	return !drained->writer.failed;
}

void kept_forget(struct kept_drained *drained)
{
	if (drained->arena)
		arena_free(drained->arena);
	__atomic_fetch_add(drained->room, drained->taken, __ATOMIC_RELAXED);
	*drained = (struct kept_drained){ .room = drained->room };
}

static void put_drained(struct kept_writer *writer, const struct kept_drained *drained)
{
	for (const struct kept_bytes *piece = drained->first; piece && !writer->failed; piece = piece->next)
		writer->failed |= !writer->write(writer->ctx, piece->bytes, piece->nr);
}

/* ------------------------------------------------------------------ executions */

static void put_thread(struct kept_writer *writer, struct words_under_way *words, const struct trace_stream *stream, const struct kept_facts *facts,
		       struct kept_execution *execution)
{
	const struct kept_drained *drained = facts->drained ? facts->drained(facts->ctx, stream->thread) : NULL;

	if (drained) {
		put_drained(writer, drained);
		execution->words += drained->words;
		execution->lost += drained->lost;
	}
	execution->words += put_stream(writer, words, stream);
	execution->lost += __atomic_load_n(&stream->lost, __ATOMIC_RELAXED);
	execution->threads = stream->thread + 1;
}

bool kept_put(struct kept_writer *writer, const struct trace_streams *streams, const struct kept_facts *facts)
{
	struct words_under_way *words = own_memory(sizeof(*words), 0);
	struct kept_execution execution = facts->execution;

	if (!words)
		return false;
	words->writer = writer;
	put_sites(writer);
	put_stretches(writer);
	put_blocks(writer, facts);
	if (execution.page_shift)
		put_pages(writer);
	for (uint32_t i = 0; i < streams->threads && !writer->failed; i++)
		if (trace_stream_is_begun(&streams->streams[i]))
			put_thread(writer, words, &streams->streams[i], facts, &execution);
	execution.lost += words->lost;
	put_execution(writer, &execution);
	own_memory_give_back(words, sizeof(*words));
	return !writer->failed;
}
