/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes traces from pieces of a record. The bytes are untrusted. */
#include "analysis/trace/expand.h"
#include "analysis/trace/trace_reader.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/sort.h"
#include "analysis/simulator/simulator.h"
#include "analysis/trace/compress.h"
#include "analysis/trace/previous_words.h"
#include "analysis/trace/page_touches.h"
#include "analysis/trace/record_rows.h"
#include "memsearch/region.h"

/* sites, stretches, blocks: bounds the memory that a wrong number can cost */
#define ROWS_MAX ((uint64_t)1 << 24)
#define EXECUTIONS_MAX 256 /* a run keeps 16 */
#define LANES_MAX 64
/* bytes of an operand: xsave of all components takes 11 KB */
#define SIZE_MOST 65536
#define RANGE_WORDS 3
#define SITE_USES_MOST 16 /* a site belongs to one stretch, in some clones to two */
#define WORD 8
/*
 * Accesses of one thread in one execution, each word of a string instruction or of memcpy as one.
 * A core needs 10 s or more for them, the simulation 10 minutes.
 */
#define ACCESSES_MOST ((uint64_t)1 << 36)
/* no core has more than 5 a cycle, at no more than 6 GHz */
#define ACCESSES_PER_NS 32
/* a mark takes as long as these: an event of OpenMP, 30 ns or more */
#define ACCESSES_PER_MARK 1000

struct piece {
	const uint8_t *bytes;
	size_t nr;
	bool packed;
};
/* .bad of the first holds for all */
struct lanes {
	struct cursor lane[PIECE_LANES];
	unsigned int nr;
};

struct execution {
	struct traced_execution facts;
	struct piece *words, *pages;
	size_t nr_words, room_words, nr_pages, room_pages;
	struct blocks_row *rows;
	size_t nr_rows, room_rows;
	struct traced_construct *regions;
	size_t nr_regions, room_regions;
	struct blocks *blocks;
	bool damaged;
};

struct trace_reader {
	struct arena *arena;
	uint64_t site_uses;        /* sites of all stretches */
	uint32_t sites, stretches; /* rows of the record that were read … */
	/* … and their numbers here: number 0 of the record's */
	uint32_t first_site, first_stretch;
	struct traced_loop *loops;
	size_t nr_loops, room_loops;
	struct execution *executions;
	size_t nr, room;
	struct execution now;
	struct decompressor *decompressor; /* NULL: not yet */
	struct array_parts parts;
	struct address_cuts cuts;
	bool unreadable; /* compressed, and there is no decompressor */
	bool full;       /* EXECUTIONS_MAX were read, and more followed */
	/* PIECE_BYTES_MOST bytes: the current piece, decompressed */
	uint8_t *whole;
	struct previous_words previous;
	uint64_t entry[2 * TRACE_PIECE_WORDS];
	uint64_t single[SINGLE_ADDRESSES]; /* as trace_writer.c has it */
	/* by site of the record: the stretch of its single accesses; 0: none yet */
	uint32_t *single_stretches;
	struct traced_part last[TRACE_THREADS]; /* by thread */
	/* by thread: in the execution that is played; and their bound */
	uint64_t accesses[TRACE_THREADS], accesses_most;
};

struct trace_reader *trace_reader_new(struct arena *arena)
{
	struct trace_reader *reader = arena_alloc(arena, sizeof(*reader));

	if (!reader)
		return NULL;
	*reader = (struct trace_reader){ .arena = arena, .first_site = record_nr_sites() };
	reader->first_stretch = __atomic_load_n(&record_stretches.nr, __ATOMIC_ACQUIRE) - 1;
	reader->stretches = 1;
	reader->accesses_most = ACCESSES_MOST;
	return reader;
}

void trace_reader_lasted(struct trace_reader *reader, double ns)
{
	if (ns > 0 && ns < (double)ACCESSES_MOST / ACCESSES_PER_NS)
		reader->accesses_most = (uint64_t)ceil(ns) * ACCESSES_PER_NS;
}

void trace_reader_free(struct trace_reader *reader)
{
	for (size_t i = 0; reader && i < reader->nr; i++)
		if (reader->executions[i].blocks)
			blocks_free(reader->executions[i].blocks);
}

static bool can_unpack(struct trace_reader *reader)
{
	if (!reader->decompressor)
		reader->decompressor = decompressor_new(reader->arena);
	if (!reader->whole)
		reader->whole = arena_alloc(reader->arena, PIECE_BYTES_MOST);
	reader->unreadable |= !reader->decompressor;
	return reader->decompressor && reader->whole;
}

/* The next lane of `from`. Compressed bytes are decompressed to reader->whole at *at_out. */
static bool unpack_lane(struct trace_reader *reader, struct cursor *from, size_t *at_out,
			struct cursor *out)
{
	uint64_t whole = get_varint(from), compressed = get_varint(from),
		 stored = compressed ? compressed : whole, left = (uint64_t)(from->end - from->at);
	const uint8_t *bytes = from->at;

	if (from->bad || stored > left || whole > PIECE_BYTES_MOST - *at_out)
		return false;
	from->at += stored;
	*out = (struct cursor){ bytes, bytes + whole, false };
	if (!compressed)
		return true;
	if (!can_unpack(reader) ||
	    !decompressor_run(reader->decompressor, bytes, (size_t)compressed,
			      reader->whole + *at_out, (size_t)whole))
		return false;
	*out = (struct cursor){ reader->whole + *at_out, reader->whole + *at_out + whole, false };
	*at_out += whole;
	return true;
}

/*
 * The bytes of a piece, valid until the next call. False: it is damaged, or cannot be decompressed
 * here.
 */
static bool open_piece(struct trace_reader *reader, const struct piece *piece, struct lanes *out)
{
	struct cursor from = { piece->bytes, piece->bytes + piece->nr, false };
	size_t at = 0;

	*out = (struct lanes){ { from }, 1 };
	if (!piece->packed)
		return true;
	for (out->nr = 0; from.at < from.end; out->nr++)
		if (out->nr == PIECE_LANES || !unpack_lane(reader, &from, &at, &out->lane[out->nr]))
			return false;
	return out->nr > 0;
}

/* As trace_writer.c stores it. */
static inline uint64_t get_difference(struct lanes *lanes, bool wide)
{
	unsigned int lane = wide && lanes->nr > 1;
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		struct cursor *from = &lanes->lane[lane];

		if (from->at >= from->end)
			break;
		value |= (uint64_t)(*from->at & 127) << shift;
		if (!(*from->at++ & 128))
			return value;
		lane += lane && lane + 1 < lanes->nr;
	}
	lanes->lane[0].bad = true;
	return 0;
}

/* A value above `most` marks the piece as damaged. */
static uint64_t get_below(struct cursor *cursor, uint64_t most)
{
	uint64_t value = get_varint(cursor);

	cursor->bad |= value > most;
	return cursor->bad ? 0 : value;
}

/* ------------------------------------------------------------------ rows */

static struct record_site get_site(struct cursor *cursor)
{
	struct record_site site = { .address = get_varint(cursor) };
	uint8_t flags;

	site.displacement = unzigzag(get_varint(cursor));
	site.loop = (uint32_t)get_below(cursor, UINT32_MAX);
	site.size = (uint32_t)get_below(cursor, SIZE_MOST);
	site.base_word = (uint16_t)get_below(cursor, UINT16_MAX);
	site.index_word = (uint16_t)get_below(cursor, UINT16_MAX);
	site.mask_word = (uint16_t)get_below(cursor, UINT16_MAX);
	site.count_word = (uint16_t)get_below(cursor, UINT16_MAX);
	site.left_word = (uint16_t)get_below(cursor, UINT16_MAX);
	site.access = get_byte(cursor);
	site.scale = get_byte(cursor);
	site.lanes = get_byte(cursor);
	site.index_size = get_byte(cursor);
	site.mask_size = get_byte(cursor);
	flags = get_byte(cursor);
	site.read = flags & 1;
	site.write = flags & 2;
	site.is_float = flags & 4;
	site.non_temporal = flags & 8;
	site.atomic = flags & 16;
	cursor->bad |= site.access > CODE_ACCESS_UNKNOWN || site.lanes > LANES_MAX;
	return site;
}

static bool get_sites(struct trace_reader *reader, struct cursor *cursor)
{
	if (get_varint(cursor) != reader->sites)
		return false;
	while (cursor->at < cursor->end) {
		struct record_site site = get_site(cursor);

		if (cursor->bad || reader->sites >= ROWS_MAX ||
		    record_rows_add_site(&site) == UINT32_MAX)
			return false;
		reader->sites++;
	}
	return true;
}

static bool has_words(uint32_t words, uint32_t first, uint32_t bytes)
{
	return first && first + (bytes + 7) / 8 <= words + 1;
}

static bool has_lanes(const struct record_site *site, uint32_t words)
{
	bool index = site->access == CODE_ACCESS_LANES;

	if (index && (site->index_size != 4 && site->index_size != 8))
		return false;
	if (index && !has_words(words, site->index_word, (uint32_t)site->lanes * site->index_size))
		return false;
	return has_words(words, site->mask_word,
			 site->mask_size ? (uint32_t)site->lanes * site->mask_size : 1);
}

/* The site's word numbers are within the stretch. */
static bool is_possible(const struct record_site *site, uint32_t words)
{
	if (site->base_word > words || site->index_word > words || site->left_word > words)
		return false;
	switch (site->access) {
	case CODE_ACCESS_REPEATED: return has_words(words, site->count_word, 2 * sizeof(uint64_t));
	case CODE_ACCESS_LANES:
	case CODE_ACCESS_MASKED:
	case CODE_ACCESS_PACKED: return has_lanes(site, words);
	default: return true;
	}
}

static bool get_stretch(struct trace_reader *reader, struct cursor *cursor)
{
	uint32_t first = (uint32_t)get_below(cursor, reader->sites),
		 nr = (uint32_t)get_below(cursor, reader->sites);
	uint32_t words = (uint32_t)get_below(cursor, TRACE_PIECE_WORDS);
	struct record_stretch row = { .first_site = reader->first_site + first,
				      .nr_sites = nr,
				      .words = words,
				      .event = get_byte(cursor) };

	reader->site_uses += nr;
	if (cursor->bad || first + nr > reader->sites ||
	    reader->site_uses > SITE_USES_MOST * (uint64_t)reader->sites ||
	    row.event > RECORD_LEFT || (row.event == RECORD_RANGE && words < RANGE_WORDS))
		return false;
	for (uint32_t i = 0; i < nr; i++)
		if (!is_possible(record_site(row.first_site + i), words))
			return false;
	reader->stretches++;
	return record_rows_add_stretch(&row);
}

static bool get_stretches(struct trace_reader *reader, struct cursor *cursor)
{
	if (get_varint(cursor) != reader->stretches)
		return false;
	while (cursor->at < cursor->end)
		if (reader->stretches >= ROWS_MAX || !get_stretch(reader, cursor))
			return false;
	return true;
}

uint64_t trace_reader_site(const struct trace_reader *reader, uint32_t site, uint32_t *number_out)
{
	*number_out = site - reader->first_site;
	return *number_out < reader->sites ? record_site(site)->address : 0;
}

uint32_t trace_reader_sites(const struct trace_reader *reader)
{
	return reader->sites;
}

/* ------------------------------------------------------------------ loops and regions */

static struct traced_range get_range(struct cursor *cursor, uint64_t origin)
{
	struct traced_range range = { .start = origin + (uint64_t)unzigzag(get_varint(cursor)) };

	range.end = range.start + get_varint(cursor);
	return range;
}

static bool get_loop(struct trace_reader *reader, struct cursor *cursor)
{
	struct traced_loop loop = { .header = get_varint(cursor) };
	struct traced_range *blocks;

	loop.function = loop.header + (uint64_t)unzigzag(get_varint(cursor));
	loop.code = get_range(cursor, loop.header);
	/* at most its own number: joined and outer loops have lower numbers */
	loop.joined = (uint32_t)get_below(cursor, reader->nr_loops);
	loop.joined_parent = (uint32_t)get_below(cursor, loop.joined ? loop.joined - 1 : 0);
	loop.nr_blocks = (uint32_t)get_below(cursor, (uint64_t)(cursor->end - cursor->at));
	blocks = arena_alloc(reader->arena, (loop.nr_blocks + 1) * sizeof(*blocks));
	for (uint32_t i = 0; blocks && i < loop.nr_blocks; i++)
		blocks[i] = get_range(cursor, loop.header);
	loop.blocks = blocks;
	if (!blocks || cursor->bad ||
	    !ARENA_GROW(reader->arena, reader->loops, reader->nr_loops, reader->room_loops))
		return false;
	reader->loops[reader->nr_loops++] = loop;
	return true;
}

static bool get_loops(struct trace_reader *reader, struct cursor *cursor)
{
	uint64_t first = get_varint(cursor);

	if (first == 1)
		reader->nr_loops = 0;
	if (first == 1 &&
	    ARENA_GROW(reader->arena, reader->loops, reader->nr_loops, reader->room_loops))
		reader->loops[reader->nr_loops++] = (struct traced_loop){ .header = 0 };
	if (first != reader->nr_loops)
		return false;
	while (cursor->at < cursor->end)
		if (reader->nr_loops >= ROWS_MAX || !get_loop(reader, cursor))
			return false;
	return true;
}

/* After all loops. */
static bool get_functions(struct trace_reader *reader, struct cursor *cursor)
{
	uint64_t number = 0;

	while (cursor->at < cursor->end && !cursor->bad) {
		number += get_below(cursor, ROWS_MAX);
		if (!number || number >= reader->nr_loops)
			return false;
		reader->loops[number].is_function = true;
	}
	return !cursor->bad;
}

static const uint64_t *get_addresses(struct trace_reader *reader, struct cursor *cursor,
				     uint32_t *nr_out)
{
	uint32_t nr = (uint32_t)get_below(cursor, (uint64_t)(cursor->end - cursor->at));
	uint64_t *addresses = arena_alloc(reader->arena, (nr + 1) * sizeof(*addresses));

	for (uint32_t i = 0; addresses && i < nr; i++)
		addresses[i] = get_varint(cursor);
	*nr_out = addresses ? nr : 0;
	cursor->bad |= !addresses;
	return addresses;
}

static bool get_regions(struct trace_reader *reader, struct cursor *cursor)
{
	struct execution *now = &reader->now;

	while (cursor->at < cursor->end) {
		struct traced_construct region = { .id = (uint32_t)get_below(cursor, ROWS_MAX) };

		region.asked = get_byte(cursor);
		region.construct = get_varint(cursor);
		region.inside = get_varint(cursor);
		region.path = get_addresses(reader, cursor, &region.nr_path);
		region.bodies = get_addresses(reader, cursor, &region.nr_bodies);
		if (cursor->bad || region.id != now->nr_regions ||
		    !ARENA_GROW(reader->arena, now->regions, now->nr_regions, now->room_regions))
			return false;
		now->regions[now->nr_regions++] = region;
	}
	return true;
}

/* ------------------------------------------------------------------ of one execution */

static bool get_blocks(struct trace_reader *reader, struct cursor *cursor)
{
	struct execution *now = &reader->now;
	struct blocks_row last = { 0 };

	while (cursor->at < cursor->end) {
		last.start += (uint64_t)unzigzag(get_varint(cursor));
		last.bytes = get_varint(cursor);
		last.array = (uint32_t)get_below(cursor, UINT32_MAX);
		last.born += (uint64_t)unzigzag(get_varint(cursor));
		last.died = get_varint(cursor);
		last.died = last.died ? last.died : BLOCKS_LIVE;
		if (cursor->bad || now->nr_rows >= ROWS_MAX ||
		    !ARENA_GROW(reader->arena, now->rows, now->nr_rows, now->room_rows))
			return false;
		now->rows[now->nr_rows++] = last;
	}
	return true;
}

static bool keep_piece(struct trace_reader *reader, struct piece **pieces, size_t *nr, size_t *room,
		       struct piece piece)
{
	if (!ARENA_GROW(reader->arena, *pieces, *nr, *room))
		return false;
	(*pieces)[(*nr)++] = piece;
	return true;
}

static int by_death(const void *left, const void *right)
{
	const struct blocks_row *a = left, *b = right;

	if (a->died != b->died)
		return a->died < b->died ? -1 : 1;
	return (a->born > b->born) - (a->born < b->born);
}

/* Skips impossible blocks: accesses to them belong to no array. */
static bool make_blocks(struct execution *of)
{
	of->blocks = blocks_new();
	sort(of->rows, of->nr_rows, sizeof(*of->rows), by_death);
	for (size_t i = 0; of->blocks && i < of->nr_rows; i++)
		blocks_restore(of->blocks, &of->rows[i]);
	return of->blocks;
}

/* Older records have none. */
static bool get_bursts(struct trace_reader *reader, struct cursor *cursor,
		       struct traced_execution *facts)
{
	struct traced_burst *bursts;

	facts->nr_bursts = cursor->at < cursor->end
				   ? (uint32_t)get_below(cursor,
							 (uint64_t)(cursor->end - cursor->at))
				   : 0;
	facts->bursts = bursts = arena_alloc(reader->arena,
					     (facts->nr_bursts + 1) * sizeof(*bursts));
	for (uint32_t i = 0; bursts && i < facts->nr_bursts; i++) {
		bursts[i].region = (uint32_t)get_below(cursor, UINT32_MAX);
		bursts[i].ns = get_varint(cursor);
	}
	return bursts;
}

/* Older records have none. */
static bool get_one_in(struct cursor *cursor, struct traced_execution *facts)
{
	facts->one_in = cursor->at < cursor->end ? (uint32_t)get_below(cursor, SIMULATOR_SPARSEST)
						 : 1;
	return facts->one_in == 1 || facts->one_in == 4 || facts->one_in == 8 ||
	       facts->one_in == SIMULATOR_SPARSEST;
}

static bool is_room_for_execution(struct trace_reader *reader)
{
	if (reader->nr == EXECUTIONS_MAX && !reader->full)
		log_warning(
			"the record has more than %u executions with accesses, and no run keeps as many: the record is damaged",
			EXECUTIONS_MAX);
	reader->full |= reader->nr == EXECUTIONS_MAX;
	return reader->nr < EXECUTIONS_MAX;
}

static bool get_execution(struct trace_reader *reader, struct cursor *cursor)
{
	struct traced_execution *facts = &reader->now.facts;
	uint32_t *serials;

	facts->stack_end = get_varint(cursor);
	facts->page_shift = (uint32_t)get_below(cursor, 30);
	facts->rest.array = (uint32_t)get_below(cursor, UINT32_MAX);
	facts->rest.low = get_varint(cursor);
	facts->rest.high = get_varint(cursor);
	facts->words = get_varint(cursor);
	facts->threads = (uint32_t)get_below(cursor, TRACE_THREADS);
	facts->lost = get_varint(cursor);
	facts->nr_serials = (uint32_t)get_below(cursor, (uint64_t)(cursor->end - cursor->at));
	serials = arena_alloc(reader->arena, (facts->nr_serials + 1) * sizeof(*serials));
	for (uint32_t i = 0; serials && i < facts->nr_serials; i++)
		serials[i] = (uint32_t)get_below(cursor, UINT32_MAX);
	facts->serials = serials;
	facts->phases = cursor->at < cursor->end ? (uint32_t)get_below(cursor, UINT32_MAX) : 1;
	cursor->bad |= !facts->phases;
	if (!is_room_for_execution(reader) || !get_bursts(reader, cursor, facts) ||
	    !get_one_in(cursor, facts) || !serials || cursor->bad || reader->now.damaged ||
	    !make_blocks(&reader->now) ||
	    !ARENA_GROW(reader->arena, reader->executions, reader->nr, reader->room))
		return false;
	reader->executions[reader->nr++] = reader->now;
	return true;
}

static bool get_rows(struct trace_reader *reader, uint64_t kind, struct cursor *cursor)
{
	switch (kind) {
	case PIECE_SITES: return get_sites(reader, cursor);
	case PIECE_STRETCHES: return get_stretches(reader, cursor);
	case PIECE_BLOCKS: return get_blocks(reader, cursor);
	case PIECE_EXECUTION: return get_execution(reader, cursor);
	case PIECE_LOOPS: return get_loops(reader, cursor);
	case PIECE_REGIONS: return get_regions(reader, cursor);
	case PIECE_FUNCTIONS: return get_functions(reader, cursor);
	default: return false;
	}
}

static bool add_piece(struct trace_reader *reader, uint64_t kind, const struct piece *piece)
{
	struct lanes lanes;

	switch (kind) {
	case PIECE_PAGES:
		return keep_piece(reader, &reader->now.pages, &reader->now.nr_pages,
				  &reader->now.room_pages, *piece);
	case PIECE_WORDS:
		return keep_piece(reader, &reader->now.words, &reader->now.nr_words,
				  &reader->now.room_words, *piece);
	default:
		return open_piece(reader, piece, &lanes) &&
		       get_rows(reader, kind, &lanes.lane[0]) && !lanes.lane[0].bad;
	}
}

bool trace_reader_add(struct trace_reader *reader, const uint8_t *bytes, size_t nr)
{
	struct cursor cursor = { bytes, bytes + nr, false };
	uint64_t head = get_varint(&cursor), kind = head & ~(uint64_t)PIECE_PACKED;
	struct piece piece = { cursor.at, (size_t)(cursor.end - cursor.at), head != kind };
	bool good;

	reader->now.facts.bytes += kind == PIECE_SITES || kind == PIECE_STRETCHES ||
						   kind == PIECE_LOOPS || kind == PIECE_FUNCTIONS
					   ? 0
					   : nr;
	good = !cursor.bad && add_piece(reader, kind, &piece);
	reader->now.damaged |= !good;
	if (kind == PIECE_EXECUTION)
		reader->now = (struct execution){ 0 };
	return good;
}

bool trace_reader_in_child(struct trace_reader *reader)
{
	bool made = true;

	for (size_t i = 0; i < reader->nr; i++)
		made &= make_blocks(&reader->executions[i]);
	return made;
}

bool trace_reader_is_unreadable(const struct trace_reader *reader)
{
	return reader->unreadable;
}

size_t trace_reader_executions(const struct trace_reader *reader)
{
	return reader->nr;
}
const struct traced_execution *trace_reader_execution(const struct trace_reader *reader,
						      size_t number)
{
	return &reader->executions[number].facts;
}

bool trace_reader_place(const struct trace_reader *reader, size_t number, uint64_t address,
			uint64_t since, uint64_t until, struct array_place *out)
{
	const struct execution *of = &reader->executions[number];

	if (blocks_at(of->blocks, address, since, until, out))
		return true;
	blocks_page_at(address, of->facts.rest, out);
	return false;
}

uint64_t trace_reader_block_bytes(const struct trace_reader *reader, uint32_t array)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < reader->nr; i++)
		for (size_t k = 0; k < reader->executions[i].nr_rows; k++)
			if (reader->executions[i].rows[k].array == array &&
			    reader->executions[i].rows[k].bytes > bytes)
				bytes = reader->executions[i].rows[k].bytes;
	return bytes;
}

void trace_reader_divide(struct trace_reader *reader, const struct array_parts *parts)
{
	reader->parts = *parts;
}
void trace_reader_cut(struct trace_reader *reader, const struct address_cuts *cuts)
{
	reader->cuts = *cuts;
}

void trace_reader_narrow(const struct trace_reader *reader, uint64_t address,
			 struct array_place *place)
{
	array_parts_narrow(&reader->parts, place);
	address_cuts_narrow(&reader->cuts, address, place);
}

static struct array_part part_of(const struct trace_reader *reader, uint32_t array)
{
	for (size_t i = 0; i < reader->parts.nr; i++)
		if (reader->parts.items[i].part == array)
			return reader->parts.items[i];
	return (struct array_part){ .array = array, .high = UINT64_MAX };
}

size_t trace_reader_blocks_of(const struct trace_reader *reader, uint32_t array,
			      struct traced_range *out, size_t room)
{
	struct array_part part = part_of(reader, array);
	size_t nr = 0;

	for (size_t i = 0; i < reader->nr; i++)
		for (size_t k = 0; k < reader->executions[i].nr_rows; k++) {
			const struct blocks_row *row = &reader->executions[i].rows[k];

			if (row->array != part.array || row->bytes <= part.low)
				continue;
			if (nr < room)
				out[nr] = (struct traced_range){
					row->start + part.low,
					row->start +
						(row->bytes < part.high ? row->bytes : part.high)
				};
			nr++;
		}
	return nr;
}

/* Of the executions [first, end) those with or without bursts. */
static void drop(struct trace_reader *reader, size_t first, size_t end, bool bursts)
{
	size_t kept = 0;

	for (size_t i = 0; i < reader->nr; i++)
		if (i < first || i >= end || !reader->executions[i].facts.nr_bursts == bursts)
			reader->executions[kept++] = reader->executions[i];
		else
			blocks_free(reader->executions[i].blocks);
	reader->nr = kept;
}

void trace_reader_drop_bursts(struct trace_reader *reader)
{
	drop(reader, 0, reader->nr, true);
}

void trace_reader_drop_before(struct trace_reader *reader, uint64_t nr)
{
	drop(reader, 0, nr < reader->nr ? (size_t)nr : reader->nr, false);
}

void trace_reader_drop_after(struct trace_reader *reader, uint64_t nr)
{
	drop(reader, nr < reader->nr ? (size_t)nr : reader->nr, reader->nr, false);
}

uint32_t trace_reader_region(const struct traced_execution *of, uint32_t region)
{
	uint32_t serial = region & ~TRACE_SERIAL;

	if (region == MS_REGION_NONE || !(region & TRACE_SERIAL))
		return region;
	return serial < of->nr_serials ? of->serials[serial] : MS_REGION_NONE;
}

struct trace_streams *trace_reader_streams(const struct trace_reader *reader)
{
	struct trace_streams *streams;
	uint32_t threads = 0;
	uint64_t words = 0;

	for (size_t i = 0; i < reader->nr; i++) {
		const struct traced_execution *of = &reader->executions[i].facts;

		threads = of->threads > threads ? of->threads : threads;
		words = of->words > words ? of->words : words;
	}
	streams = trace_streams_to_play(threads, words);
	for (uint32_t i = 0; streams && i < threads; i++)
		trace_stream_begin(streams, i);
	return streams;
}

size_t trace_reader_loops(const struct trace_reader *reader, const struct traced_loop **out)
{
	*out = reader->loops;
	return reader->nr_loops;
}

size_t trace_reader_regions(const struct trace_reader *reader, size_t number,
			    const struct traced_construct **out)
{
	*out = reader->executions[number].regions;
	return reader->executions[number].nr_regions;
}

/* ------------------------------------------------------------------ playing */

struct choice {
	trace_reader_wants *wants;
	void *ctx;
};
struct player {
	struct trace_reader *reader;
	struct trace *trace;
	struct lanes lanes;
	const struct choice *choice;
	uint32_t thread;
	/* words of single accesses in reader->entry, not in the trace yet */
	uint32_t nr_single;
	/* of the words of the entry, per iteration; and whether later ones may have more */
	uint64_t accesses;
	bool moves;
};

/* Words of memory that one iteration moves; `again`: it is the first or last of several. */
static uint64_t words_moved(uint64_t bytes, bool again)
{
	/* too long ones are not counted, but those between them may be */
	return bytes <= RECORD_BYTES_MOST ? bytes / WORD : again ? RECORD_BYTES_MOST / WORD : 0;
}

/* Accesses of a stretch, and one for itself, as events without accesses take time, too. */
static uint64_t accesses_of(const struct record_stretch *row, const uint64_t *stretch, bool again)
{
	uint64_t nr = 1 + row->nr_sites;

	if (row->plain)
		return nr;
	if (row->event == RECORD_RANGE)
		nr += 2 * words_moved(stretch[3], again);
	for (uint32_t i = 0; i < row->nr_sites; i++) {
		const struct record_site *site = record_site(row->first_site + i);

		nr += site->lanes;
		if (site->access == CODE_ACCESS_REPEATED)
			nr += words_moved(record_bytes_repeated(site, stretch), again);
	}
	return nr < ACCESSES_MOST ? nr : ACCESSES_MOST;
}

/* No execution has more accesses than a thread has time for: larger numbers are damage. */
static bool admit(struct player *player, uint64_t accesses, uint64_t times)
{
	struct trace_reader *reader = player->reader;
	uint64_t *sum = &reader->accesses[player->thread], all;

	if (!__builtin_mul_overflow(accesses, times, &all) &&
	    !__builtin_add_overflow(*sum, all, sum) && *sum <= reader->accesses_most)
		return true;
	log_warning(
		"the record is damaged: thread %" PRIu32
		" has more accesses or marks in one execution than its program had time for, or than can be simulated",
		player->thread);
	return false;
}

static bool play_stretch(struct player *player, uint64_t *to, uint32_t room, uint32_t *nr_out)
{
	struct trace_reader *reader = player->reader;
	uint64_t number = get_below(&player->lanes.lane[0], reader->stretches - 1);
	const struct record_stretch *row = number ? record_stretch(reader->first_stretch + number)
						  : NULL;
	uint64_t *last, difference;
	uint8_t *wide;

	if (!row || row->words >= room)
		return false;
	*nr_out = 1 + row->words;
	last = previous_words_of(&reader->previous, number, *nr_out);
	wide = reader->previous.wide + (last - reader->previous.words);
	to[0] = reader->first_stretch + number;
	for (uint32_t i = 1; i < *nr_out; i++) {
		difference = get_difference(&player->lanes, wide[i]);
		wide[i] = difference >= 0x80;
		to[i] = last[i] += (uint64_t)unzigzag(difference);
	}
	player->accesses += accesses_of(row, to, false);
	player->moves |= !row->plain;
	return true;
}

static bool play_words(struct player *player, uint64_t *to, uint32_t nr)
{
	player->accesses = 0;
	player->moves = false;
	for (uint32_t each; nr; nr -= each, to += each)
		if (!play_stretch(player, to, nr, &each))
			return false;
	return !player->lanes.lane[0].bad;
}

static bool play_mark(struct player *player, uint32_t nr)
{
	static const uint32_t words[TRACE_MARKS] = {
		[TRACE_PART] = 3, [TRACE_TEAM] = 2,  [TRACE_BEGIN] = 4,
		[TRACE_END] = 4,  [TRACE_BURST] = 2,
	};
	uint32_t mark = (uint32_t)get_below(&player->lanes.lane[0], TRACE_MARKS - 1);

	if (player->lanes.lane[0].bad || !mark || nr != words[mark] ||
	    !admit(player, ACCESSES_PER_MARK, 1))
		return false;
	for (uint32_t i = 0; i < nr; i++)
		player->reader->entry[i] = get_varint(&player->lanes.lane[0]);
	if (mark == TRACE_PART)
		player->reader->last[player->thread] = (struct traced_part){
			player->reader->entry[0], player->reader->entry[1], player->reader->entry[2]
		};
	return !player->lanes.lane[0].bad &&
	       trace_put_mark(player->trace, mark, player->reader->entry, nr);
}

/* A string instruction is one access. */
static uint64_t accesses_in(const uint64_t *words, uint32_t nr)
{
	uint64_t accesses = 0;

	for (uint32_t at = 0; at < nr;) {
		const struct record_stretch *row = record_stretch(words[at]);

		accesses += row->nr_sites;
		at += 1 + row->words;
	}
	return accesses;
}

/* The iterations of the entry that the caller wants. */
static uint64_t wanted(const struct player *player, uint32_t nr, uint64_t times)
{
	const struct choice *choice = player->choice;

	if (choice->wants)
		choice->wants(choice->ctx, player->thread,
			      (uint32_t)player->reader->last[player->thread].region,
			      accesses_in(player->reader->entry, nr), &times);
	return times;
}

/* An iteration of a loop, whose lengths change by constants: no less than all between. */
static uint64_t most_accesses(const uint64_t *words, const uint64_t *amounts, uint32_t nr,
			      uint64_t times, uint64_t *scratch)
{
	uint64_t accesses = 0;

	for (uint32_t at = 0; at < nr;) {
		const struct record_stretch *row = record_stretch(words[at]);
		uint64_t first = accesses_of(row, words + at, true), last;

		for (uint32_t i = 0; i <= row->words; i++)
			scratch[i] = words[at + i] + (times - 1) * amounts[at + i];
		last = accesses_of(row, scratch, true);
		accesses += first > last ? first : last;
		at += 1 + row->words;
	}
	return accesses;
}

static bool play_again(struct player *player, uint32_t nr)
{
	uint64_t times = get_varint(&player->lanes.lane[0]), *words = player->reader->entry,
		 *amounts = words + nr;

	if (!nr || 2 * nr + 1 >= TRACE_ENTRY_MAX || !play_words(player, words, nr))
		return false;
	for (uint32_t i = 0; i < nr; i++)
		amounts[i] = (uint64_t)unzigzag(get_difference(&player->lanes, false));
	if (player->moves)
		player->accesses = most_accesses(words, amounts, nr, times, amounts + nr);
	if (player->lanes.lane[0].bad || !admit(player, player->accesses, times))
		return false;
	times = wanted(player, nr, times);
	for (uint32_t i = 0; i < nr; i++)
		words[nr + i] = words[i] + amounts[i];
	return !times || trace_put_again(player->trace, words, nr, times);
}

/* 0: no such site. */
static uint32_t single_stretch(struct trace_reader *reader, uint32_t number)
{
	const struct record_site *site = record_site(reader->first_site + number);
	struct record_stretch row = { .first_site = reader->first_site + number,
				      .nr_sites = 1,
				      .words = single_stretch_words(site) - 1 };

	if (site->access != CODE_ACCESS_PLAIN ||
	    (site->base_word && site->base_word == site->index_word))
		return 0;
	if (!reader->single_stretches) {
		reader->single_stretches = arena_alloc(
			reader->arena, reader->sites * sizeof(*reader->single_stretches));
		if (!reader->single_stretches)
			return 0;
		memset(reader->single_stretches, 0,
		       reader->sites * sizeof(*reader->single_stretches));
	}
	if (!reader->single_stretches[number])
		reader->single_stretches[number] = record_rows_add_stretch(&row);
	return reader->single_stretches[number];
}

/* Sets the words from which record_address computes that address. */
static void put_lone(const struct record_site *site, uint32_t stretch, uint64_t address,
		     uint64_t *to)
{
	uint64_t offset = address - (uint64_t)site->displacement;

	memset(to, 0, single_stretch_words(site) * sizeof(*to));
	to[0] = stretch;
	if (site->base_word)
		to[site->base_word] = offset;
	else if (site->index_word)
		to[site->index_word] = (uint64_t)((int64_t)offset /
						  (site->scale ? site->scale : 1));
}

/* Adjacent single accesses become one entry. */
static bool end_lone(struct player *player)
{
	uint32_t nr = player->nr_single;

	player->nr_single = 0;
	return !nr || !wanted(player, nr, 1) ||
	       trace_put_words(player->trace, player->reader->entry, nr);
}

static bool play_skipped(struct player *player, uint32_t nr, uint64_t times)
{
	uint64_t *words = player->reader->entry;

	times = wanted(player, nr, times);
	memcpy(words + nr, words, nr * sizeof(*words));
	return !times || trace_put_again(player->trace, words, nr, times);
}

static bool play_lone(struct player *player)
{
	struct trace_reader *reader = player->reader;
	uint32_t number = (uint32_t)get_varint(&player->lanes.lane[0]), stretch, nr;
	uint64_t times = get_varint(&player->lanes.lane[0]),
		 difference = get_difference(&player->lanes, true);
	const struct record_site *site = number < reader->sites
						 ? record_site(reader->first_site + number)
						 : NULL;
	uint64_t *last = &reader->single[number % SINGLE_ADDRESSES];

	if (player->lanes.lane[0].bad || !site || !times || !admit(player, 1, times))
		return false;
	stretch = single_stretch(reader, number);
	nr = single_stretch_words(site);
	if (!stretch ||
	    ((times > 1 || player->nr_single + nr >= TRACE_ENTRY_MAX) && !end_lone(player)))
		return false;
	*last += (uint64_t)unzigzag(difference);
	put_lone(site, stretch, *last, reader->entry + player->nr_single);
	if (times > 1)
		return 2 * nr + 1 < TRACE_ENTRY_MAX && play_skipped(player, nr, times);
	player->nr_single += nr;
	return true;
}

static bool play_entry(struct player *player)
{
	uint8_t kind = get_byte(&player->lanes.lane[0]);
	uint32_t nr;

	if (kind == TRACE_SINGLE)
		return play_lone(player);
	nr = (uint32_t)get_below(&player->lanes.lane[0], TRACE_ENTRY_MAX);
	if (player->lanes.lane[0].bad || !end_lone(player))
		return false;
	switch (kind) {
	case TRACE_MARK: return play_mark(player, nr);
	case TRACE_AGAIN: return play_again(player, nr);
	case TRACE_WORDS:
		return play_words(player, player->reader->entry, nr) &&
		       admit(player, player->accesses, 1) &&
		       (!wanted(player, nr, 1) ||
			trace_put_words(player->trace, player->reader->entry, nr));
	default: return false;
	}
}

static bool play_piece(struct trace_reader *reader, const struct piece *piece,
		       struct trace_streams *streams, const struct choice *choice)
{
	struct player player = { .reader = reader, .choice = choice };
	bool opened = open_piece(reader, piece, &player.lanes);
	uint64_t thread = opened ? get_varint(&player.lanes.lane[0]) : 0;
	struct trace_stream *stream = opened && thread < streams->threads && thread < TRACE_THREADS
					      ? &streams->streams[thread]
					      : NULL;

	if (stream && !trace_stream_is_begun(stream))
		trace_stream_begin(streams, (uint32_t)thread);
	if (!stream)
		return false;
	player.trace = &stream->trace;
	player.thread = (uint32_t)thread;
	previous_words_begin(&reader->previous);
	memset(reader->single, 0, sizeof(reader->single));
	while (player.lanes.lane[0].at < player.lanes.lane[0].end)
		if (!play_entry(&player))
			return false;
	return end_lone(&player);
}

static bool play_pages(struct trace_reader *reader, const struct piece *piece)
{
	struct lanes lanes;
	struct cursor *cursor = &lanes.lane[0];

	if (!open_piece(reader, piece, &lanes))
		return false;
	while (cursor->at < cursor->end) {
		uint64_t page = get_varint(cursor), touch = get_below(cursor, UINT32_MAX),
			 more = get_varint(cursor);

		for (uint64_t i = 0; i <= more && !cursor->bad; i++)
			if (!page_touches_put(page + i, (uint32_t)touch))
				return !cursor->bad; /* the stream is full */
	}
	return !cursor->bad;
}

struct traced_part trace_reader_part(const struct trace_reader *reader, uint32_t thread)
{
	return reader->last[thread];
}

bool trace_reader_play(struct trace_reader *reader, size_t number, struct trace_streams *streams,
		       trace_reader_wants *chosen, void *ctx)
{
	const struct execution *of = &reader->executions[number];
	const struct choice choice = { chosen, ctx };
	bool pages = of->facts.page_shift &&
		     page_touches_start((uint64_t)1 << of->facts.page_shift);

	page_touches_forget();
	for (uint32_t thread = 0; thread < streams->threads && thread < TRACE_THREADS; thread++) {
		/* none, as MS_REGION_NONE */
		reader->last[thread] = (struct traced_part){ .region = UINT32_MAX };
		reader->accesses[thread] = 0;
	}
	for (size_t i = 0; pages && i < of->nr_pages; i++)
		if (!play_pages(reader, &of->pages[i]))
			return false;
	for (size_t i = 0; i < of->nr_words; i++)
		if (!play_piece(reader, &of->words[i], streams, &choice))
			return false;
	return true;
}
