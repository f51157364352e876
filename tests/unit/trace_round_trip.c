/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces as bytes: what is kept of an execution is what was in the streams, and nothing that is
 * damaged harms.
 */
#include "analysis/trace/trace_reader.h"
#include "analysis/trace/trace_writer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/trace/compress.h"
#include "analysis/trace/page_touches.h"
#include "analysis/trace/record_rows.h"
#include "memsearch/region.h"
#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define THREADS 3
#define PIECES 64
#define STEPS 4000
#define TRIALS 3000
#define PIECES_MOST 64

static uint32_t plain, pair; /* stretches of one word, and of two */
static bool uncompressed;    /* pieces are written so */
static struct {
	uint8_t *bytes;
	size_t nr;
} pieces[PIECES_MOST];
static size_t nr_pieces;

static uint32_t stretch_of(uint16_t words)
{
	struct record_site site = { .address = 0x1000u + words,
				    .displacement = -8,
				    .size = 8,
				    .access = CODE_ACCESS_PLAIN,
				    .base_word = words,
				    .read = true };
	struct record_stretch row = { .first_site = record_rows_add_site(&site),
				      .nr_sites = 1,
				      .words = words };

	return record_rows_add_stretch(&row);
}

static bool take(void *ctx, const uint8_t *bytes, size_t nr)
{
	(void)ctx;
	CHECK_THAT(nr_pieces, <, PIECES_MOST);
	pieces[nr_pieces].bytes = malloc(nr);
	test_at_end(free, pieces[nr_pieces].bytes);
	memcpy(pieces[nr_pieces].bytes, bytes, nr);
	pieces[nr_pieces++].nr = nr;
	return true;
}

static void blocks_of_two(void *ctx, void (*visit)(void *of, const struct blocks_row *row),
			  void *of)
{
	(void)ctx;
	visit(of, &(struct blocks_row){ 0x10000, 4096, 5, BLOCKS_LIVE, 1 });
	visit(of, &(struct blocks_row){ 0x8000, 64, 2, 4, 7 });
	visit(of, &(struct blocks_row){ 0x8000, 128, 4, BLOCKS_LIVE, 3 });
}

static void fill(struct trace_stream *stream, uint64_t seed)
{
	for (uint64_t i = 0; i < STEPS; i++) {
		uint64_t address = 0x10000 + (seed * i * 8) % 4096;

		if (i % 100 == 0)
			trace_stream_part(stream, (uint32_t)i, i, i + 1);
		if (i % 3)
			trace_stream_words(
				stream, (uint64_t[]){ plain, address, pair, address, ~address }, 5);
		else
			trace_stream_again(stream,
					   (uint64_t[]){ plain, address, plain, address - 8 }, 2,
					   i + 1);
		if (i % 500 == 499)
			trace_stream_barrier(stream);
	}
}

static struct trace_streams *new_streams(void)
{
	struct trace_streams *streams = trace_streams_new(THREADS, PIECES);

	CHECK(streams != NULL);
	return streams;
}

static bool of_bursts;

/* Thread 1 recorded nothing. Its own pieces are in `pieces`. */
static struct trace_streams *keep(void)
{
	static const uint32_t serials[] = { 4, MS_REGION_NONE };
	static const struct traced_burst bursts[] = { { 7, 1000000007 }, { 300, 5 } };
	struct trace_streams *streams = new_streams();
	struct trace_writer writer = { .buffer.arena = arena_new(),
				       .write = take,
				       .plain = uncompressed };
	struct trace_writer_facts facts = {
		.execution = { .stack_end = 0x7fff0000,
			       .page_shift = 12,
			       .rest = { 9, 0x100, 0x200 },
			       .nr_serials = 2,
			       .serials = serials,
			       .nr_bursts = of_bursts ? 2 : 0,
			       .bursts = bursts },
		.each_block = blocks_of_two,
	};

	plain = stretch_of(1);
	pair = stretch_of(2);
	CHECK(page_touches_start(4096));
	for (uint64_t page = 100; page < 140; page++)
		page_touches_add(
			3, page * 4096,
			&(struct page_touch){ .core = page > 120, .team = 2, .shift = 12 });
	fill(trace_stream_begin(streams, 0), 3);
	fill(trace_stream_begin(streams, 2), 1001);
	nr_pieces = 0;
	CHECK(trace_writer_put(&writer, streams, &facts));
	return streams;
}

static bool same_entry(const struct trace_entry *a, const struct trace_entry *b, uint32_t further)
{
	bool same = a->kind == b->kind && a->nr == b->nr && a->mark == b->mark &&
		    a->times == b->times;

	for (uint32_t i = 0; same && i < a->nr; i++) {
		bool header = a->kind != TRACE_MARK &&
			      (a->words[i] == plain || a->words[i] == pair);

		same = b->words[i] == a->words[i] + (header ? further : 0) &&
		       (a->kind != TRACE_AGAIN || b->amounts[i] == a->amounts[i]);
	}
	return same;
}

static void same_stream(const struct trace_stream *left, const struct trace_stream *right,
			uint32_t further)
{
	struct trace one = left->trace, other = right->trace;
	struct trace_entry a, b;

	for (; trace_look(&one, &a); trace_pass(&one), trace_pass(&other))
		CHECK(trace_look(&other, &b) && same_entry(&a, &b, further));
	CHECK(!trace_look(&other, &b));
}

static uint32_t array_at(const struct trace_reader *reader, uint64_t address, uint64_t since,
			 uint64_t until)
{
	struct array_place place;

	return trace_reader_place(reader, 0, address, since, until, &place) ? place.array
									    : ARRAY_NONE;
}

static void count_page(void *ctx, uint64_t page, uint32_t touch)
{
	(void)page, (void)touch;
	*(uint64_t *)ctx += 1;
}

static void an_execution_is_as_it_was(void)
{
	struct trace_streams *streams = keep(), *again = new_streams();
	uint32_t further = __atomic_load_n(&record_stretches.nr, __ATOMIC_RELAXED) - 1, number;
	struct trace_reader *reader = trace_reader_new(arena_new());
	const struct traced_execution *of;
	uint64_t pages = 0;

	for (size_t i = 0; i < nr_pieces; i++)
		CHECK(trace_reader_add(reader, pieces[i].bytes, pieces[i].nr));
	CHECK_INT(trace_reader_executions(reader), 1);
	of = trace_reader_execution(reader, 0);
	CHECK_INT(of->threads, THREADS);
	CHECK_INT(of->stack_end, 0x7fff0000);
	CHECK_INT(of->rest.array, 9);
	CHECK_INT(of->nr_serials, 2);
	CHECK_INT(of->serials[1], MS_REGION_NONE);
	CHECK_INT(of->nr_bursts, 0);
	CHECK(trace_reader_play(reader, 0, again, NULL, NULL));
	same_stream(&streams->streams[0], &again->streams[0], further);
	same_stream(&streams->streams[2], &again->streams[2], further);
	CHECK(!again->streams[1].of);
	CHECK_INT(trace_reader_site(reader, record_stretch(further + pair)->first_site, &number),
		  0x1002);
	CHECK_INT(number, record_stretch(pair)->first_site);
	CHECK_INT(array_at(reader, 0x8000, 2, 3), 7);
	CHECK_INT(array_at(reader, 0x8000, 5, 6), 3);
	CHECK_INT(array_at(reader, 0x10fff, 5, 6), 1);
	CHECK_INT(array_at(reader, 0x11000, 5, 6), ARRAY_NONE);
	page_touches_words(count_page, &pages);
	CHECK_INT(pages, 40);
	trace_reader_free(reader);
	trace_streams_free(streams);
	trace_streams_free(again);
}

TEST(trace_round_trip__an_execution_is_as_it_was)
{
	uncompressed = true;
	an_execution_is_as_it_was();
	uncompressed = false;
	an_execution_is_as_it_was();
}

static struct trace_reader *kept_of(bool bursts)
{
	struct trace_reader *reader = trace_reader_new(arena_new());

	of_bursts = bursts;
	trace_streams_free(keep());
	of_bursts = false;
	for (size_t i = 0; i < nr_pieces; i++)
		CHECK(trace_reader_add(reader, pieces[i].bytes, pieces[i].nr));
	CHECK_INT(trace_reader_executions(reader), 1);
	return reader;
}

TEST(trace_round_trip__bursts)
{
	struct trace_reader *whole = kept_of(false), *reader = kept_of(true);
	const struct traced_execution *of = trace_reader_execution(reader, 0);

	CHECK_INT(of->nr_bursts, 2);
	CHECK(of->bursts[0].region == 7 && of->bursts[0].ns == 1000000007 &&
	      of->bursts[1].region == 300 && of->bursts[1].ns == 5);
	trace_reader_drop_bursts(reader);
	CHECK_INT(trace_reader_executions(reader), 0);
	trace_reader_drop_bursts(whole);
	CHECK_INT(trace_reader_executions(whole), 1);
	trace_reader_free(reader);
	trace_reader_free(whole);
}

/* What was recorded before the phase began is of another one; bursts are of any. */
TEST(trace_round_trip__of_an_earlier_phase)
{
	struct trace_reader *whole = kept_of(false), *reader = kept_of(true);

	trace_reader_drop_after(reader, 0);
	trace_reader_drop_before(reader, 5);
	CHECK_INT(trace_reader_executions(reader), 1);
	trace_reader_drop_after(whole, 1);
	CHECK_INT(trace_reader_executions(whole), 1);
	trace_reader_drop_before(whole, 0);
	CHECK_INT(trace_reader_executions(whole), 1);
	trace_reader_drop_before(whole, 1);
	CHECK_INT(trace_reader_executions(whole), 0);
	trace_reader_free(whole);
	whole = kept_of(false);
	trace_reader_drop_after(whole, 0);
	CHECK_INT(trace_reader_executions(whole), 0);
	trace_reader_free(reader);
	trace_reader_free(whole);
}

static size_t bytes_kept(void)
{
	size_t bytes = 0;

	trace_streams_free(keep());
	for (size_t i = 0; i < nr_pieces; i++)
		bytes += pieces[i].nr;
	return bytes;
}

TEST(trace_round_trip__pieces_are_compressed_where_that_saves_bytes)
{
	size_t before, after;

	uncompressed = true;
	before = bytes_kept();
	for (size_t i = 0; i < nr_pieces; i++)
		CHECK_THAT(pieces[i].bytes[0], <, PIECE_KINDS);
	uncompressed = false;
	after = bytes_kept();
#ifdef HAVE_ZSTD
	CHECK_THAT(after, <, before / 2);
#else
	CHECK_THAT(after, ==, before);
#endif
}

/* A process without memory left writes uncompressed pieces. */
TEST(trace_round_trip__compressing_does_without_memory)
{
	struct arena *arena = arena_new();
	pid_t child = fork();
	int status;

	if (!child) {
		setrlimit(RLIMIT_AS, &(struct rlimit){ 0, 0 });
		_exit(compressor_new(arena) ? 1 : 0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

#ifdef HAVE_ZSTD
/* Inputs of any size, as memory of the compressor is for one. */
TEST(trace_round_trip__compressing_reverses_at_every_size)
{
	static uint8_t bytes[1 << 18], compressed[sizeof(bytes)], again[sizeof(bytes)];
	struct arena *arena = arena_new();
	struct compressor *compressor = compressor_new(arena);
	struct decompressor *decompressor = decompressor_new(arena);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i % 7 ? i % 7 : pick(4));
	for (size_t nr = 64; nr <= sizeof(bytes); nr += nr / 3) {
		size_t to = compressor_run(compressor, bytes, nr, compressed);

		CHECK(to > 0 && to < nr);
		CHECK(decompressor_run(decompressor, compressed, to, again, nr) &&
		      !memcmp(bytes, again, nr));
		CHECK(!decompressor_run(decompressor, compressed, to, again, nr - 1));
		CHECK(!decompressor_run(decompressor, compressed, to - 1, again, nr));
	}
}
#endif

/*
 * Sizes in a packed piece are checked before anything is decompressed: too large, more than there
 * is, no frame, too many lanes.
 */
TEST(trace_round_trip__impossible_sizes_are_refused)
{
	static const uint8_t huge[] = {
		PIECE_SITES | PIECE_PACKED, 0xff, 0xff, 0xff, 0xff, 0x0f, 4, 0x28, 0xb5, 0x2f, 0xfd
	};
	static const uint8_t beyond[] = { PIECE_SITES | PIECE_PACKED, 9, 0, 1, 2 },
			     cut[] = { PIECE_BLOCKS | PIECE_PACKED, 8, 3, 0x28, 0xb5, 0x2f };
	static const uint8_t
		lanes[] = { PIECE_BLOCKS | PIECE_PACKED, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
		none[] = { PIECE_BLOCKS | PIECE_PACKED };
	struct trace_reader *reader = trace_reader_new(arena_new());

	CHECK(!trace_reader_add(reader, huge, sizeof(huge)));
	CHECK(!trace_reader_add(reader, beyond, sizeof(beyond)));
	CHECK(!trace_reader_add(reader, cut, sizeof(cut)));
	CHECK(!trace_reader_add(reader, lanes, sizeof(lanes)));
	CHECK(!trace_reader_add(reader, none, sizeof(none)));
	CHECK_INT(trace_reader_executions(reader), 0);
	trace_reader_free(reader);
}

/*
 * Without its last piece an execution is not whole; nor with one that is damaged, and the next one
 * is none the worse.
 */
TEST(trace_round_trip__what_is_not_whole_is_left_out)
{
	struct trace_streams *streams = keep();
	struct trace_reader *reader = trace_reader_new(arena_new());
	static const uint8_t nonsense[] = { PIECE_BLOCKS, 0xff };

	for (size_t i = 0; i + 1 < nr_pieces; i++)
		CHECK(trace_reader_add(reader, pieces[i].bytes, pieces[i].nr));
	CHECK_INT(trace_reader_executions(reader), 0);
	CHECK(!trace_reader_add(reader, nonsense, sizeof(nonsense)));
	CHECK(!trace_reader_add(reader, pieces[nr_pieces - 1].bytes, pieces[nr_pieces - 1].nr));
	CHECK_INT(trace_reader_executions(reader), 0);
	for (size_t i = 2; i < nr_pieces; i++) /* the rows are there */
		CHECK(trace_reader_add(reader, pieces[i].bytes, pieces[i].nr));
	CHECK_INT(trace_reader_executions(reader), 1);
	CHECK(!trace_reader_add(reader, nonsense, 0));
	trace_reader_free(reader);
	trace_streams_free(streams);
}

/* Any byte may be another one: that is found out, or means something else, and harms nothing. */
static void damage_does_no_harm(void)
{
	struct trace_streams *streams = keep(), *again = new_streams();

	for (int trial = 0; trial < TRIALS; trial++) {
		struct arena *arena = arena_new();
		struct trace_reader *reader = trace_reader_new(arena);

		for (size_t i = 0; i < nr_pieces; i++) {
			uint8_t *byte = &pieces[i].bytes[pick(pieces[i].nr)], was = *byte;

			if (!pick(4))
				*byte = (uint8_t)pick(256);
			trace_reader_add(reader, pieces[i].bytes, pieces[i].nr);
			*byte = was;
		}
		for (size_t i = 0; i < trace_reader_executions(reader); i++) {
			trace_reader_play(reader, i, again, NULL, NULL);
			trace_streams_clear(again);
		}
		trace_reader_free(reader);
		arena_free(arena);
	}
	trace_streams_free(streams);
	trace_streams_free(again);
}

TEST(trace_round_trip__damage_does_no_harm)
{
	uncompressed = true;
	damage_does_no_harm();
	uncompressed = false;
	damage_does_no_harm();
}

/* ------------------------------------------------------------------ bounds */

/* Whether a loop can be read back from the record of a program that ran for `ns`; 0: unknown. */
static bool is_readable(const uint64_t *words, size_t period, uint64_t times, double ns)
{
	struct trace_streams *streams = new_streams(), *again = new_streams();
	struct trace_writer writer = { .buffer.arena = arena_new(), .write = take };
	struct trace_writer_facts facts = { .each_block = blocks_of_two };
	struct trace_reader *reader = trace_reader_new(arena_new());
	bool readable;

	nr_pieces = 0;
	trace_stream_again(trace_stream_begin(streams, 0), words, period, times);
	CHECK(trace_writer_put(&writer, streams, &facts));
	for (size_t i = 0; i < nr_pieces; i++)
		CHECK(trace_reader_add(reader, pieces[i].bytes, pieces[i].nr));
	trace_reader_lasted(reader, ns);
	readable = trace_reader_play(reader, 0, again, NULL, NULL);
	trace_reader_free(reader);
	trace_streams_free(streams);
	trace_streams_free(again);
	return readable;
}

/* They would keep all that reads them busy for years. */
TEST(trace_round_trip__loops_longer_than_the_program_are_damaged)
{
	uint64_t words[4];

	plain = stretch_of(1);
	memcpy(words, (uint64_t[]){ plain, 0x10000, plain, 0x10008 }, sizeof(words));
	CHECK(!is_readable(words, 2, (uint64_t)1 << 60, 0));
	CHECK(!is_readable(words, 2, UINT64_MAX, 0));
	CHECK(is_readable(words, 2, 100000000, 0));
	CHECK(is_readable(words, 2, 100000000, 1e9));
	CHECK(!is_readable(words, 2, 100000000, 1e6));
}

/* The last iterations of memcpy move 32 GiB each, or those between the first and the last. */
TEST(trace_round_trip__a_program_has_no_time_to_move_so_much)
{
	const struct record_stretch row = { .words = 3, .event = RECORD_RANGE };
	uint64_t range = record_rows_add_stretch(&row), step = ((uint64_t)1 << 35) / 1000,
		 half = (uint64_t)1 << 63;

	CHECK(is_readable((uint64_t[]){ range, 0x1000, 0x2000, 64, range, 0x1040, 0x2040, 64 }, 4,
			  1000, 1e6));
	CHECK(!is_readable(
		(uint64_t[]){ range, 0x1000, 0x2000, 64, range, 0x1000, 0x2000, 64 + step }, 4,
		1000, 1e9));
	CHECK(!is_readable((uint64_t[]){ range, 0x1000, 0x2000, half, range, 0x1000, 0x2000, 0 }, 4,
			   1001, 1e9));
}

/* Each execution, and each thread, costs memory and time however little is stored of it. */
TEST(trace_round_trip__numbers_that_no_run_keeps_are_damaged)
{
	static const uint8_t empty[] = { PIECE_EXECUTION, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 1 };
	/* 1025 threads */
	static const uint8_t wide[] = {
		PIECE_EXECUTION, 0, 0, 0, 0, 0, 0, 0x81, 0x08, 0, 0, 1, 0, 1
	};
	struct trace_reader *reader = trace_reader_new(arena_new());
	int added = 0;

	CHECK(!trace_reader_add(reader, wide, sizeof(wide)));
	while (added < 1000 && trace_reader_add(reader, empty, sizeof(empty)))
		added++;
	CHECK_INT(added, 256);
	CHECK_INT(trace_reader_executions(reader), 256);
	trace_reader_free(reader);
}

/* Teams whose threads meet are looked for among all threads. */
TEST(trace_round_trip__a_program_has_no_time_for_so_many_teams)
{
	struct trace_streams *streams = new_streams(), *again = new_streams();
	struct trace_writer writer = { .buffer.arena = arena_new(), .write = take };
	struct trace_writer_facts facts = { .each_block = blocks_of_two };
	struct trace_reader *reader = trace_reader_new(arena_new());

	nr_pieces = 0;
	trace_stream_begin(streams, 0);
	for (uint64_t team = 1; team <= 1000; team++)
		trace_stream_team(&streams->streams[0], team, 0);
	CHECK(trace_writer_put(&writer, streams, &facts));
	for (size_t i = 0; i < nr_pieces; i++)
		CHECK(trace_reader_add(reader, pieces[i].bytes, pieces[i].nr));
	trace_reader_lasted(reader, 1e5);
	CHECK(trace_reader_play(reader, 0, again, NULL, NULL));
	trace_streams_clear(again);
	trace_reader_lasted(reader, 1e4);
	CHECK(!trace_reader_play(reader, 0, again, NULL, NULL));
	trace_reader_free(reader);
	trace_streams_free(streams);
	trace_streams_free(again);
}

/* Each row is compared with its sites. */
TEST(trace_round_trip__sites_of_too_many_stretches_are_damaged)
{
	struct record_site site = { .address = 0x1000, .size = 8, .access = CODE_ACCESS_PLAIN };
	struct record_stretch row = { .first_site = record_rows_add_site(&site), .nr_sites = 1 };
	struct trace_streams *streams = new_streams();
	struct trace_writer writer = { .buffer.arena = arena_new(), .write = take };
	struct trace_writer_facts facts = { .each_block = blocks_of_two };
	struct trace_reader *reader = trace_reader_new(arena_new());
	bool added = true;

	for (int i = 0; i < 1000; i++)
		CHECK(record_rows_add_stretch(&row));
	nr_pieces = 0;
	CHECK(trace_writer_put(&writer, streams, &facts));
	for (size_t i = 0; i < nr_pieces; i++)
		added &= trace_reader_add(reader, pieces[i].bytes, pieces[i].nr);
	CHECK(!added);
	trace_reader_free(reader);
	trace_streams_free(streams);
}

/* ------------------------------------------------------------------ a part of it */

/* Of each loop the first two times. */
static void first_two(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses,
		      uint64_t *times)
{
	(void)ctx, (void)thread, (void)region, (void)accesses;
	if (*times > 2)
		*times = 2;
}

TEST(trace_round_trip__of_loops_a_part_is_played)
{
	struct trace_streams *streams = keep(), *again = new_streams();
	struct trace_reader *reader = trace_reader_new(arena_new());
	struct trace one, other;
	struct trace_entry a, b;
	uint64_t loops = 0;

	for (size_t i = 0; i < nr_pieces; i++)
		CHECK(trace_reader_add(reader, pieces[i].bytes, pieces[i].nr));
	CHECK(trace_reader_play(reader, 0, again, first_two, NULL));
	one = streams->streams[0].trace;
	other = again->streams[0].trace;
	for (; trace_look(&one, &a); trace_pass(&one), trace_pass(&other)) {
		uint64_t skipped = a.kind == TRACE_AGAIN && a.times > 2 ? a.times - 2 : 0;

		CHECK(trace_look(&other, &b) && a.kind == b.kind && b.times == a.times - skipped);
		if (a.kind != TRACE_AGAIN)
			continue;
		loops += skipped > 0;
		CHECK(b.words[1] == a.words[1] && b.amounts[1] == a.amounts[1]);
	}
	CHECK_THAT(loops, >, 0);
	trace_reader_free(reader);
	trace_streams_free(streams);
	trace_streams_free(again);
}

/* ------------------------------------------------------------------ made room for */

static struct trace_drain drained;

static const struct trace_drain *drained_of(void *ctx, uint32_t thread)
{
	(void)ctx;
	return thread ? NULL : &drained;
}

/* Twice the same into thread 0, drained in between; `room`: bytes for that. */
static struct trace_streams *keep_drained(uint64_t *room, bool *drained_out)
{
	struct trace_streams *streams = new_streams();
	struct trace_writer writer = { .buffer.arena = arena_new(), .write = take };
	struct trace_writer_facts facts = { .each_block = blocks_of_two, .drained = drained_of };
	struct trace_stream *stream = trace_stream_begin(streams, 0);
	struct trace_entry entry;

	plain = stretch_of(1);
	pair = stretch_of(2);
	drained = (struct trace_drain){ .room = room };
	nr_pieces = 0;
	fill(stream, 3);
	*drained_out = trace_drain_take(&drained, stream);
	CHECK(!trace_look(&stream->trace, &entry));
	if (*drained_out)
		fill(stream, 5);
	CHECK(trace_writer_put(&writer, streams, &facts));
	trace_drain_release(&drained);
	return streams;
}

static void play_into(struct trace_streams *again, struct trace_reader **reader_out)
{
	*reader_out = trace_reader_new(arena_new());
	for (size_t i = 0; i < nr_pieces; i++)
		CHECK(trace_reader_add(*reader_out, pieces[i].bytes, pieces[i].nr));
	CHECK(trace_reader_play(*reader_out, 0, again, NULL, NULL));
}

TEST(trace_round_trip__what_was_drained_comes_first)
{
	struct trace_streams *whole = new_streams(), *again = new_streams(), *streams;
	uint64_t room = 1 << 20;
	uint32_t further;
	struct trace_reader *reader;
	bool all;

	streams = keep_drained(&room, &all);
	CHECK(all && room == 1 << 20);
	fill(trace_stream_begin(whole, 0), 3);
	fill(&whole->streams[0], 5);
	further = __atomic_load_n(&record_stretches.nr, __ATOMIC_RELAXED) - 1;
	play_into(again, &reader);
	same_stream(&whole->streams[0], &again->streams[0], further);
	trace_reader_free(reader);
	trace_streams_free(streams);
	trace_streams_free(whole);
	trace_streams_free(again);
}

/* Its begin, and nothing twice. */
TEST(trace_round_trip__what_finds_no_room_is_lost_from_there_on)
{
	struct trace_streams *whole = new_streams(), *again = new_streams(), *streams;
	uint64_t room = 100;
	struct trace_reader *reader;
	bool all;

	streams = keep_drained(&room, &all);
	CHECK(!all && room == 100);
	fill(trace_stream_begin(whole, 0), 3);
	play_into(again, &reader);
	CHECK_THAT(trace_words(&again->streams[0].trace), <, trace_words(&whole->streams[0].trace));
	trace_reader_free(reader);
	trace_streams_free(streams);
	trace_streams_free(whole);
	trace_streams_free(again);
}
