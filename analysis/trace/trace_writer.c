/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes traces as pieces of the record. */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/own_memory.h"
#include "analysis/simulator/sampling.h"
#include "analysis/trace/compress.h"
#include "analysis/trace/previous_words.h"
#include "analysis/trace/trace_writer.h"
#include "analysis/trace/page_touches.h"
#include "analysis/trace/stretches.h"
#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"

#define COMPRESS_FROM 64 /* bytes: shorter lanes gain nothing */
/* bytes: a lane of this size that compression shrinks by less than 1 in … */
#define LEARN_FROM 1024
#define LITTLE 8
#define LONE_VARINTS 4
#define WAIT 15 /* … is stored uncompressed in this number of pieces */

/* ------------------------------------------------------------------ pieces */

static bool can_pack(struct trace_writer *writer)
{
	if (!writer->plain && !writer->compressor)
		writer->compressor = compressor_new(writer->buffer.arena);
	writer->plain |= !writer->compressor;
	return !writer->plain;
}

static struct buffer *lane_of(struct trace_writer *writer, unsigned int lane)
{
	return lane ? &writer->lanes[lane - 1] : &writer->buffer;
}

static void begin(struct trace_writer *writer, enum piece_kind kind)
{
	writer->kind = kind;
	writer->nr_lanes = kind == PIECE_WORDS && can_pack(writer) ? PIECE_LANES : 1;
	for (unsigned int lane = 0; lane < PIECE_LANES; lane++) {
		lane_of(writer, lane)->arena = writer->buffer.arena;
		lane_of(writer, lane)->nr = 0;
	}
	writer->compressed.arena = writer->piece.arena = writer->buffer.arena;
}

static size_t bytes_so_far(struct trace_writer *writer)
{
	size_t bytes = 0;

	for (unsigned int lane = 0; lane < writer->nr_lanes; lane++)
		bytes += lane_of(writer, lane)->nr;
	return bytes;
}

/* A lane that shrank little is not compressed for some pieces: random bytes take longest. */
static size_t compressed(struct trace_writer *writer, unsigned int number,
			 const struct buffer *lane)
{
	struct buffer *out = &writer->compressed;
	uint8_t *wait = &writer->wait[number];
	size_t nr;

	if (lane->nr < COMPRESS_FROM || (*wait && (*wait)--) || !buffer_need(out, lane->nr)) {
		out->failed = false;
		return 0;
	}
	nr = compressor_run(writer->compressor, lane->bytes, lane->nr, out->bytes);
	if (lane->nr >= LEARN_FROM && (!nr || nr > lane->nr - lane->nr / LITTLE))
		*wait = WAIT;
	return nr;
}

static void put_lane(struct trace_writer *writer, unsigned int number, const struct buffer *lane)
{
	const struct buffer *out = &writer->compressed;
	size_t nr = compressed(writer, number, lane);

	put_varint(&writer->piece, lane->nr);
	put_varint(&writer->piece, nr);
	put_bytes(&writer->piece, nr ? out->bytes : lane->bytes, nr ? nr : lane->nr);
	writer->failed |= lane->failed;
}

static void put_lanes(struct trace_writer *writer)
{
	put_varint(&writer->piece, writer->kind | PIECE_PACKED);
	for (unsigned int lane = 0; lane < writer->nr_lanes; lane++)
		put_lane(writer, lane, lane_of(writer, lane));
}

static void end(struct trace_writer *writer)
{
	size_t bytes = bytes_so_far(writer);

	writer->piece.nr = 0;
	if (writer->nr_lanes > 1 ||
	    (bytes >= COMPRESS_FROM && bytes <= PIECE_BYTES_MOST && can_pack(writer))) {
		put_lanes(writer);
	} else {
		put_varint(&writer->piece, writer->kind);
		put_bytes(&writer->piece, writer->buffer.bytes, writer->buffer.nr);
	}
	writer->failed |= writer->buffer.failed || writer->piece.failed;
	writer->failed = writer->failed ||
			 !writer->write(writer->ctx, writer->piece.bytes, writer->piece.nr);
}

/* True: a new piece of the kind has begun. */
static bool go_on(struct trace_writer *writer, enum piece_kind kind)
{
	if (bytes_so_far(writer) < PIECE_BYTES)
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
	put_byte(buffer, (uint8_t)(site->read | site->write << 1 | site->is_float << 2 |
				   site->non_temporal << 3 | site->atomic << 4));
}

static void put_sites(struct trace_writer *writer)
{
	uint32_t nr = record_nr_sites();

	for (bool first = true; writer->sites < nr && !writer->failed;
	     writer->sites++, first = false) {
		if (first)
			begin(writer, PIECE_SITES);
		if (first || go_on(writer, PIECE_SITES))
			put_varint(&writer->buffer, writer->sites);
		put_site(&writer->buffer, record_site(writer->sites));
		if (writer->sites + 1 == nr)
			end(writer);
	}
}

static void put_stretches(struct trace_writer *writer)
{
	uint32_t nr = __atomic_load_n(&record_stretches.nr, __ATOMIC_ACQUIRE);

	writer->stretches += !writer->stretches; /* number 0 is none */
	for (bool first = true; writer->stretches < nr && !writer->failed;
	     writer->stretches++, first = false) {
		const struct record_stretch *row = record_stretch(writer->stretches);

		if (first)
			begin(writer, PIECE_STRETCHES);
		if (first || go_on(writer, PIECE_STRETCHES))
			put_varint(&writer->buffer, writer->stretches);
		put_varint(&writer->buffer, row->first_site);
		put_varint(&writer->buffer, row->nr_sites);
		put_varint(&writer->buffer, row->words);
		put_byte(&writer->buffer, row->event);
		if (writer->stretches + 1 == nr)
			end(writer);
	}
}

/* ------------------------------------------------------------------ loops and regions */

static void put_loop(struct buffer *buffer, const struct trace_writer_facts *facts, uint32_t number,
		     const struct traced_loop *loop)
{
	put_varint(buffer, loop->header);
	put_varint(buffer, zigzag((int64_t)(loop->function - loop->header)));
	put_varint(buffer, zigzag((int64_t)(loop->code.start - loop->header)));
	put_varint(buffer, loop->code.end - loop->code.start);
	put_varint(buffer, loop->joined);
	put_varint(buffer, loop->joined_parent);
	put_varint(buffer, loop->nr_blocks);
	for (uint32_t i = 0; i < loop->nr_blocks; i++) {
		struct traced_range block = facts->block(facts->ctx, number, i);

		put_varint(buffer, zigzag((int64_t)(block.start - loop->header)));
		put_varint(buffer, block.end - block.start);
	}
}

static void put_functions(struct trace_writer *writer, const struct trace_writer_facts *facts)
{
	struct traced_loop loop;
	uint32_t last = 0;
	bool any = false;

	for (uint32_t number = 1; facts->loop(facts->ctx, number, &loop); number++) {
		if (!loop.is_function)
			continue;
		if (!any)
			begin(writer, PIECE_FUNCTIONS);
		if (any && go_on(writer, PIECE_FUNCTIONS))
			last = 0;
		put_varint(&writer->buffer, number - last);
		last = number;
		any = true;
	}
	if (any)
		end(writer);
}

/* Writes all loops again when one is new or was joined: readers use the last version. */
static void put_loops(struct trace_writer *writer, const struct trace_writer_facts *facts)
{
	struct traced_loop loop;

	if (!facts->loop || (writer->loops == facts->loops && writer->joined == facts->joined))
		return;
	writer->loops = facts->loops;
	writer->joined = facts->joined;
	begin(writer, PIECE_LOOPS);
	put_varint(&writer->buffer, 1);
	for (uint32_t number = 1; facts->loop(facts->ctx, number, &loop); number++) {
		if (go_on(writer, PIECE_LOOPS))
			put_varint(&writer->buffer, number);
		put_loop(&writer->buffer, facts, number, &loop);
	}
	end(writer);
	put_functions(writer, facts);
}

static void put_addresses(struct buffer *buffer, const uint64_t *addresses, uint32_t nr)
{
	put_varint(buffer, nr);
	for (uint32_t i = 0; i < nr; i++)
		put_varint(buffer, addresses[i]);
}

static void put_regions(struct trace_writer *writer, const struct trace_writer_facts *facts)
{
	struct traced_construct region;

	if (!facts->region)
		return;
	begin(writer, PIECE_REGIONS);
	for (uint32_t id = 0; facts->region(facts->ctx, id, &region); id++) {
		go_on(writer, PIECE_REGIONS);
		put_varint(&writer->buffer, region.id);
		put_byte(&writer->buffer, region.asked);
		put_varint(&writer->buffer, region.construct);
		put_varint(&writer->buffer, region.inside);
		put_addresses(&writer->buffer, region.path, region.nr_path);
		put_addresses(&writer->buffer, region.bodies, region.nr_bodies);
	}
	end(writer);
}

/* ------------------------------------------------------------------ blocks and pages */

struct blocks_under_way {
	struct trace_writer *writer;
	struct blocks_row last;
};

static void put_block(void *ctx, const struct blocks_row *row)
{
	struct blocks_under_way *under_way = ctx;
	struct buffer *buffer = &under_way->writer->buffer;

	if (go_on(under_way->writer, PIECE_BLOCKS))
		under_way->last = (struct blocks_row){ 0 };
	put_varint(buffer, zigzag((int64_t)(row->start - under_way->last.start)));
	put_varint(buffer, row->bytes);
	put_varint(buffer, row->array);
	put_varint(buffer, zigzag((int64_t)(row->born - under_way->last.born)));
	put_varint(buffer, row->died == BLOCKS_LIVE ? 0 : row->died);
	under_way->last = *row;
}

static void put_blocks(struct trace_writer *writer, const struct trace_writer_facts *facts)
{
	struct blocks_under_way under_way = { writer, { 0 } };

	begin(writer, PIECE_BLOCKS);
	facts->each_block(facts->ctx, put_block, &under_way);
	end(writer);
}

struct pages_under_way {
	struct trace_writer *writer;
	uint64_t first, nr;
	uint32_t touch;
};

static void put_run(struct pages_under_way *pages)
{
	struct buffer *buffer = &pages->writer->buffer;

	if (!pages->nr)
		return;
	go_on(pages->writer, PIECE_PAGES);
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

static void put_pages(struct trace_writer *writer)
{
	struct pages_under_way pages = { .writer = writer };

	begin(writer, PIECE_PAGES);
	page_touches_words(put_page, &pages);
	put_run(&pages);
	end(writer);
}

/* ------------------------------------------------------------------ words */

/* sites whose accesses to unsampled lines are summed; a power of two: */
#define SKIPPED 256
struct skipped {
	uint32_t site;
	uint64_t times, address;
}; /* address: of the last */

struct words_under_way {
	struct trace_writer *writer;
	uint64_t thread, lost;
	struct previous_words previous;
	uint32_t one_in; /* lines; as `lines` has it */
	struct sampling lines;
	uint64_t single_words; /* words of single accesses in a stream */
	/* by site: address of the last single access in this piece */
	uint64_t single[SINGLE_ADDRESSES];
	struct skipped skipped[SKIPPED];
};

/* Write position of each lane. */
struct ends {
	uint8_t *at[PIECE_LANES];
	unsigned int nr;
};

/* Reserves space for this number of varints in each lane; all may be in lane 0. */
static bool begin_storing(struct trace_writer *writer, size_t nr, struct ends *out)
{
	out->nr = writer->nr_lanes;
	for (unsigned int i = 0; i < writer->nr_lanes; i++) {
		struct buffer *lane = lane_of(writer, i);

		if (!buffer_need(lane, nr * (i && i + 1 < writer->nr_lanes ? 1 : VARINT_BYTES))) {
			writer->failed = true;
			return false;
		}
		out->at[i] = lane->bytes + lane->nr;
	}
	return true;
}

static void end_storing(struct trace_writer *writer, const struct ends *ends)
{
	for (unsigned int i = 0; i < writer->nr_lanes; i++)
		lane_of(writer, i)->nr = (size_t)(ends->at[i] - lane_of(writer, i)->bytes);
}

static inline uint8_t *store_varint(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)value | 0x80;
	*at++ = (uint8_t)value;
	return at;
}

/* A varint, byte by byte in lanes 1, 2, …; the last lane has the remaining bytes. */
static inline void store_wide(struct ends *ends, uint64_t value)
{
	unsigned int lane = 1;

	for (; value >= 0x80; value >>= 7) {
		*ends->at[lane]++ = (uint8_t)value | 0x80;
		lane += lane + 1 < ends->nr;
	}
	*ends->at[lane]++ = (uint8_t)value;
}

static void store_words(struct words_under_way *words, struct ends *ends, const uint64_t *stretch,
			uint32_t nr)
{
	uint64_t *last = previous_words_of(&words->previous, stretch[0], nr);
	uint8_t *wide = words->previous.wide + (last - words->previous.words);

	ends->at[0] = store_varint(ends->at[0], stretch[0]);
	for (uint32_t i = 1; i < nr; i++) {
		uint64_t difference = zigzag((int64_t)(stretch[i] - last[i]));

		if (wide[i] && ends->nr > 1)
			store_wide(ends, difference);
		else
			ends->at[0] = store_varint(ends->at[0], difference);
		wide[i] = difference >= 0x80;
		last[i] = stretch[i];
	}
}

/* False: a signal handler interrupted the recording of a stretch (stretches.h). */
static bool put_words(struct words_under_way *words, const uint64_t *of, uint32_t nr)
{
	struct ends ends;

	if (!begin_storing(words->writer, nr, &ends))
		return true;
	for (uint32_t each; nr; nr -= each, of += each) {
		const struct record_stretch *row = record_stretch(of[0]);

		if (!row || row->words >= nr)
			return false;
		each = 1 + row->words;
		store_words(words, &ends, of, each);
	}
	end_storing(words->writer, &ends);
	return true;
}

static void put_amounts(struct trace_writer *writer, const uint64_t *amounts, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		put_varint(&writer->buffer, zigzag((int64_t)amounts[i]));
}

static void begin_words(struct words_under_way *words)
{
	put_varint(&words->writer->buffer, words->thread);
	previous_words_begin(&words->previous);
	memset(words->single, 0, sizeof(words->single));
}

/* Lane sizes to which an entry without space is rolled back. */
struct lengths {
	size_t nr[PIECE_LANES];
};

static struct lengths lengths_of(struct trace_writer *writer)
{
	struct lengths lengths;

	for (unsigned int lane = 0; lane < PIECE_LANES; lane++)
		lengths.nr[lane] = lane_of(writer, lane)->nr;
	return lengths;
}

/* The rolled-back entry changed the previous words. */
static void leave_out(struct words_under_way *words, const struct lengths *before, uint32_t nr)
{
	words->lost += nr;
	for (unsigned int lane = 0; lane < PIECE_LANES; lane++)
		lane_of(words->writer, lane)->nr = before->nr[lane];
	end(words->writer);
	begin(words->writer, PIECE_WORDS);
	begin_words(words);
}

static void put_mark(struct buffer *buffer, const struct trace_entry *entry)
{
	put_varint(buffer, entry->mark);
	for (uint32_t i = 0; i < entry->nr; i++)
		put_varint(buffer, entry->words[i]);
}

/* ------------------------------------------------------------------ sampled lines */

static void put_lone(struct words_under_way *words, uint32_t site, uint64_t times, uint64_t address)
{
	struct trace_writer *writer = words->writer;
	uint64_t *last = &words->single[site % SINGLE_ADDRESSES];
	struct ends ends;

	if (go_on(writer, PIECE_WORDS))
		begin_words(words);
	if (!begin_storing(writer, LONE_VARINTS, &ends))
		return;
	ends.at[0] = store_varint(ends.at[0], TRACE_SINGLE);
	ends.at[0] = store_varint(ends.at[0], site);
	ends.at[0] = store_varint(ends.at[0], times);
	if (ends.nr > 1)
		store_wide(&ends, zigzag((int64_t)(address - *last)));
	else
		ends.at[0] = store_varint(ends.at[0], zigzag((int64_t)(address - *last)));
	end_storing(writer, &ends);
	*last = address;
	words->single_words += single_words(record_site(site), times);
}

static void put_skipped(struct words_under_way *words, struct skipped *skipped)
{
	if (skipped->times)
		put_lone(words, skipped->site, skipped->times, skipped->address);
	skipped->times = 0;
}

static void put_all_skipped(struct words_under_way *words)
{
	for (uint32_t i = 0; words->one_in > 1 && i < SKIPPED; i++)
		put_skipped(words, &words->skipped[i]);
}

static bool is_sampled(const struct sampling *lines, uint64_t address, uint32_t bytes)
{
	return !sampling_skips(lines, address / SAMPLING_LINE) ||
	       !sampling_skips(lines, (address + bytes - 1) / SAMPLING_LINE);
}

static void sample_access(struct words_under_way *words, uint32_t site, uint64_t address,
			  uint32_t bytes)
{
	struct skipped *skipped = &words->skipped[site % SKIPPED];

	if (is_sampled(&words->lines, address, bytes)) {
		put_lone(words, site, 1, address);
		return;
	}
	if (skipped->site != site)
		put_skipped(words, skipped);
	*skipped = (struct skipped){ site, skipped->times + 1, address };
}

/* All accesses of the stretch are stored as single accesses. */
static bool is_to_sample(const struct record_stretch *row)
{
	const struct record_site *site;

	for (uint32_t i = 0; row->plain && i < row->nr_sites; i++) {
		site = record_site(row->first_site + i);
		if (site->base_word && site->base_word == site->index_word)
			return false;
	}
	return row->plain;
}

static void put_whole(struct words_under_way *words, const uint64_t *stretch, uint32_t nr)
{
	if (go_on(words->writer, PIECE_WORDS))
		begin_words(words);
	put_byte(&words->writer->buffer, TRACE_WORDS);
	put_varint(&words->writer->buffer, nr);
	put_words(words, stretch, nr);
	words->single_words += 1 + nr;
}

static void sample_words(struct words_under_way *words, const struct trace_entry *entry)
{
	uint32_t left = entry->nr;

	for (const uint64_t *stretch = entry->words; left;) {
		const struct record_stretch *row = record_stretch(stretch[0]);

		if (!row || row->words >= left) {
			words->lost += left; /* a signal handler interrupted, as in put_words */
			return;
		}
		if (!is_to_sample(row))
			put_whole(words, stretch, 1 + row->words);
		for (uint32_t i = 0; i < row->nr_sites && is_to_sample(row); i++) {
			const struct record_site *site = record_site(row->first_site + i);

			sample_access(words, row->first_site + i, record_address(site, stretch),
				      site->size);
		}
		left -= 1 + row->words;
		stretch += 1 + row->words;
	}
}

static void use_lines(struct words_under_way *words, uint32_t one_in)
{
	if (one_in <= 1 || one_in == words->one_in)
		return;
	words->one_in = one_in;
	sampling_init_recorded(&words->lines, one_in);
}

/* ------------------------------------------------------------------ streams */

static void put_entry(struct words_under_way *words, const struct trace_entry *entry)
{
	struct buffer *buffer = &words->writer->buffer;
	struct lengths before;

	if (go_on(words->writer, PIECE_WORDS))
		begin_words(words);
	before = lengths_of(words->writer);
	put_byte(buffer, (uint8_t)entry->kind);
	put_varint(buffer, entry->nr);
	if (entry->kind == TRACE_MARK) {
		put_mark(buffer, entry);
		return;
	}
	if (entry->kind == TRACE_AGAIN)
		put_varint(buffer, entry->times);
	if (!put_words(words, entry->words, entry->nr)) {
		leave_out(words, &before, entry->nr);
		return;
	}
	if (entry->kind == TRACE_AGAIN)
		put_amounts(words->writer, entry->amounts, entry->nr);
}

/* Summed accesses to unsampled lines belong to the region that ends here. */
static void put_next(struct words_under_way *words, const struct trace_entry *entry)
{
	if (entry->kind == TRACE_MARK)
		put_all_skipped(words);
	if (entry->kind == TRACE_WORDS && words->one_in > 1)
		sample_words(words, entry);
	else
		put_entry(words, entry);
}

/* Encodes the whole stream without consuming it. Returns its words, with entry heads. */
static uint64_t put_stream(struct trace_writer *writer, struct words_under_way *words,
			   const struct trace_stream *stream)
{
	struct trace reader = stream->trace;
	struct trace_entry entry;
	uint64_t nr = 0;

	words->thread = stream->thread;
	begin(writer, PIECE_WORDS);
	begin_words(words);
	words->single_words = 0;
	for (; trace_look(&reader, &entry) && !writer->failed; trace_pass(&reader)) {
		put_next(words, &entry);
		if (entry.kind != TRACE_WORDS || words->one_in <= 1)
			nr += 2 + entry.nr * (entry.kind == TRACE_AGAIN ? 2 : 1);
	}
	put_all_skipped(words);
	end(writer);
	return nr + words->single_words;
}

static void put_execution(struct trace_writer *writer, const struct traced_execution *execution)
{
	struct buffer *buffer = &writer->buffer;

	begin(writer, PIECE_EXECUTION);
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
	put_varint(buffer, execution->phases ? execution->phases : 1);
	put_varint(buffer, execution->nr_bursts);
	for (uint32_t i = 0; i < execution->nr_bursts; i++) {
		put_varint(buffer, execution->bursts[i].region);
		put_varint(buffer, execution->bursts[i].ns);
	}
	put_varint(buffer, execution->one_in);
	end(writer);
}

/* ------------------------------------------------------------------ unfinished executions */

struct drained_piece {
	struct drained_piece *next;
	size_t nr;
	uint8_t bytes[];
};

static bool take_room(struct trace_drain *drained, uint64_t bytes)
{
	uint64_t room = __atomic_load_n(drained->room, __ATOMIC_RELAXED);

	do {
		if (bytes > room)
			return false;
	} while (!__atomic_compare_exchange_n(drained->room, &room, room - bytes, true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	drained->taken += bytes;
	return true;
}

static bool append_piece(void *ctx, const uint8_t *bytes, size_t nr)
{
	struct trace_drain *drained = ctx;
	struct drained_piece *piece = take_room(drained, nr)
					      ? arena_alloc(drained->arena, sizeof(*piece) + nr)
					      : NULL;

	if (!piece)
		return false;
	piece->next = NULL;
	piece->nr = nr;
	memcpy(piece->bytes, bytes, nr);
	*drained->last = piece;
	drained->last = &piece->next;
	return true;
}

static bool begin_draining(struct trace_drain *drained)
{
	drained->arena = drained->arena ? drained->arena : arena_new();
	if (!drained->arena || drained->under_way)
		return drained->arena;
	drained->under_way = arena_alloc(drained->arena, sizeof(*drained->under_way));
	drained->writer = (struct trace_writer){ .buffer.arena = drained->arena,
						 .write = append_piece,
						 .ctx = drained };
	drained->last = &drained->first;
	if (drained->under_way)
		*drained->under_way = (struct words_under_way){ .writer = &drained->writer };
	return drained->under_way;
}

bool trace_drain_take(struct trace_drain *drained, struct trace_stream *stream)
{
	struct trace_entry entry;

	if (!begin_draining(drained))
		return false;
	use_lines(drained->under_way, drained->one_in);
	drained->words += put_stream(&drained->writer, drained->under_way, stream);
	drained->lost = drained->under_way->lost;
	/* also a part that was not stored: else its begin would be stored twice */
	while (trace_look(&stream->trace, &entry))
		trace_take(&stream->trace);
	return !drained->writer.failed;
}

void trace_drain_release(struct trace_drain *drained)
{
	if (drained->arena)
		arena_free(drained->arena);
	__atomic_fetch_add(drained->room, drained->taken, __ATOMIC_RELAXED);
	*drained = (struct trace_drain){ .room = drained->room };
}

static void put_drained(struct trace_writer *writer, const struct trace_drain *drained)
{
	for (const struct drained_piece *piece = drained->first; piece && !writer->failed;
	     piece = piece->next)
		writer->failed |= !writer->write(writer->ctx, piece->bytes, piece->nr);
}

/* ------------------------------------------------------------------ executions */

static void put_thread(struct trace_writer *writer, struct words_under_way *words,
		       const struct trace_stream *stream, const struct trace_writer_facts *facts,
		       struct traced_execution *execution)
{
	const struct trace_drain *drained = facts->drained
						    ? facts->drained(facts->ctx, stream->thread)
						    : NULL;

	if (drained) {
		put_drained(writer, drained);
		execution->words += drained->words;
		execution->lost += drained->lost;
		execution->one_in = drained->one_in > execution->one_in ? drained->one_in
									: execution->one_in;
		use_lines(words, drained->one_in);
	}
	execution->words += put_stream(writer, words, stream);
	execution->lost += __atomic_load_n(&stream->lost, __ATOMIC_RELAXED);
	execution->threads = stream->thread + 1;
}

bool trace_writer_put(struct trace_writer *writer, const struct trace_streams *streams,
		      const struct trace_writer_facts *facts)
{
	struct words_under_way *words = own_memory(sizeof(*words), 0);
	struct traced_execution execution = facts->execution;

	if (!words)
		return false;
	words->writer = writer;
	execution.one_in = execution.one_in ? execution.one_in : 1;
	use_lines(words, execution.one_in);
	put_sites(writer);
	put_stretches(writer);
	put_loops(writer, facts);
	put_regions(writer, facts);
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
