/* SPDX-License-Identifier: Apache-2.0 */
/* What goes into a trace comes out of it, in its order, as words and as runs. */
#include "analysis/trace/expand.h"
#include "analysis/trace/trace_runs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code/code.h"
#include "analysis/trace/record_rows.h"
#include "analysis/trace/stream.h"
#include "ompt_tool/clones/word_buffer.h"
#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define PIECES 8
#define MANY 200000
#define STRETCHES 12
#define WORDS 3
#define ENTRY_WORDS 4000
#define PLACE 4096

static struct trace *new_trace(uint32_t pieces)
{
	struct trace *trace = calloc(1, sizeof(*trace));

	CHECK(trace != NULL);
	trace->pool = calloc(1, sizeof(*trace->pool));
	CHECK(trace->pool != NULL);
	trace_pool_init(trace->pool, calloc(pieces, sizeof(struct trace_piece)), pieces);
	return trace;
}

static void free_trace(struct trace *trace)
{
	free(trace->pool->pieces);
	free(trace->pool);
	free(trace);
}

/* ------------------------------------------------------------------ entries */

TEST(trace__tells_what_was_put)
{
	const uint64_t words[] = { 7, 100, 200, 7, 108, 196, 7, 116, 192 };
	struct trace *trace = new_trace(PIECES);
	struct trace_entry entry;

	CHECK(!trace_look(trace, &entry));
	CHECK(trace_put_words(trace, words, 9) && trace_put_again(trace, words, 3, 50) &&
	      trace_put_mark(trace, 5, words, 1));
	CHECK_INT(trace_words(trace), 9 + 3 * 50);
	CHECK(trace_look(trace, &entry));
	CHECK_INT(entry.kind, TRACE_WORDS);
	CHECK_INT(entry.nr, 9);
	CHECK(!memcmp(entry.words, words, sizeof(words)));
	trace_take(trace);
	CHECK(trace_look(trace, &entry));
	CHECK_INT(entry.kind, TRACE_AGAIN);
	CHECK_INT(entry.nr, 3);
	CHECK_INT(entry.times, 50);
	CHECK_INT(entry.words[1], 100);
	CHECK_INT(entry.amounts[0], 0);
	CHECK_INT(entry.amounts[1], 8);
	CHECK_INT((int64_t)entry.amounts[2], -4);
	CHECK_INT(trace_words(trace), 3 * 50);
	trace_take(trace);
	CHECK_INT(trace_words(trace), 0);
	CHECK(trace_look(trace, &entry));
	CHECK_INT(entry.kind, TRACE_MARK);
	CHECK_INT(entry.mark, 5);
	CHECK_INT(entry.words[0], 7);
	trace_take(trace);
	CHECK(!trace_look(trace, &entry));
	free_trace(trace);
}

/* What finds no room is refused as a whole, and pieces that were read are used again. */
TEST(trace__refuses_what_finds_no_room_and_goes_on)
{
	static uint64_t words[TRACE_PIECE_WORDS];
	struct trace *trace = new_trace(2);
	struct trace_entry entry;

	CHECK(!trace_put_words(trace, words, TRACE_ENTRY_MAX));
	for (int round = 0; round < 100; round++) {
		uint64_t put = 0, taken = 0;

		words[0] = (uint64_t)round;
		while (trace_put_words(trace, words, ENTRY_WORDS / 2))
			put++;
		CHECK_THAT(put, >=, 3);
		for (; trace_look(trace, &entry); trace_take(trace), taken++)
			CHECK_INT(entry.words[0], round);
		CHECK_INT(taken, put);
	}
	CHECK_INT(trace->pool->used, 2);
	free_trace(trace);
}

static void *write_many(void *ctx)
{
	struct trace *trace = ctx;

	for (uint64_t i = 0; i < MANY;) {
		uint64_t words[] = { i, i + 1, i + 2 };

		i += trace_put_words(trace, words, 1 + i % 3);
	}
	return NULL;
}

TEST(trace__another_thread_reads_while_it_is_written)
{
	struct trace *trace = new_trace(3);
	struct trace_entry entry;
	pthread_t writer;

	CHECK_INT(pthread_create(&writer, NULL, write_many, trace), 0);
	for (uint64_t next = 0; next < MANY;) {
		if (!trace_look(trace, &entry))
			continue;
		CHECK_INT(entry.nr, 1 + next % 3);
		CHECK_INT(entry.words[entry.nr - 1], next + entry.nr - 1);
		trace_take(trace);
		next++;
	}
	pthread_join(writer, NULL);
	free_trace(trace);
}

/*
 * Threads that fill their pieces alike need new ones all at once, while the read ones are still
 * theirs.
 */
TEST(trace__executions_played_one_after_the_other_find_room)
{
	enum { THREADS = 8, PUT = 1500, EXECUTIONS = 40 };
	const uint64_t words[PUT] = { 7 };
	struct trace_streams *streams = trace_streams_to_play(THREADS, THREADS * (PUT + 1));

	CHECK(streams);
	for (uint32_t i = 0; i < THREADS; i++)
		CHECK(trace_stream_begin(streams, i));
	for (int execution = 0; execution < EXECUTIONS; execution++) {
		for (uint32_t i = 0; i < THREADS; i++)
			CHECK(trace_put_words(&streams->streams[i].trace, words, PUT));
		trace_streams_clear(streams);
	}
	trace_streams_free(streams);
}

/* ------------------------------------------------------------------ runs */

static uint32_t stretches[STRETCHES], range_stretch;

struct access {
	uint64_t address, bytes;
	uint32_t site;
	bool write;
};
struct accesses {
	struct access *items;
	size_t nr, room;
};

static void add(struct accesses *to, uint64_t address, uint64_t bytes, uint32_t site, bool write)
{
	if (to->nr == to->room) {
		to->room = to->room ? 2 * to->room : 1024;
		to->items = realloc(to->items, to->room * sizeof(*to->items));
		CHECK(to->items != NULL);
	}
	to->items[to->nr++] = (struct access){ address, bytes, site, write };
}

/* Their sites lie in two blocks of rows. */
static void make_stretches(void)
{
	while (record_nr_sites() < RECORD_BLOCK - 8)
		record_rows_add_site(&(struct record_site){ .size = 1 });
	for (int i = 0; i < STRETCHES; i++) {
		struct record_stretch row = { .first_site = record_nr_sites(),
					      .nr_sites = (uint32_t)pick(4),
					      .words = WORDS };

		for (uint32_t site = 0; site < row.nr_sites; site++)
			record_rows_add_site(&(struct record_site){
				.size = 4u << pick(3),
				.access = pick(9) ? CODE_ACCESS_PLAIN : CODE_ACCESS_MASKED,
				.lanes = 4,
				.mask_word = 3,
				.base_word = 1,
				.index_word = pick(2) ? 2 : 0,
				.scale = 8,
				.read = true,
				.write = !pick(3),
			});
		stretches[i] = record_rows_add_stretch(&row);
	}
	range_stretch = record_rows_add_stretch(
		&(struct record_stretch){ .event = RECORD_RANGE, .words = 3 });
}

static void expect_range(struct accesses *to, uint64_t address, uint64_t bytes, bool write)
{
	for (; address && bytes; address += bytes < 8 ? bytes : 8, bytes -= bytes < 8 ? bytes : 8)
		add(to, address, bytes < 8 ? bytes : 8, RUNS_NO_SITE, write);
}

static void expect_stretch(struct accesses *to, const uint64_t *words)
{
	const struct record_stretch *row = record_stretch(words[0]);
	struct record_access accesses[8];

	if (row->event == RECORD_RANGE) {
		expect_range(to, words[2], words[3], false);
		expect_range(to, words[1], words[3], true);
	}
	for (uint32_t number = row->first_site; number < row->first_site + row->nr_sites;
	     number++) {
		const struct record_site *site = record_site(number);
		size_t nr = record_expand(site, words, accesses, 8);

		for (size_t i = 0; i < nr; i++)
			add(to, accesses[i].address, accesses[i].bytes, number, site->write);
	}
}

static size_t random_words(uint64_t *words, size_t nr_stretches)
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_stretches; i++) {
		words[nr] = pick(8) ? stretches[pick(STRETCHES)] : range_stretch;
		words[nr + 1] = 0x7f0000000000 + pick(100 * PLACE);
		words[nr + 2] = words[nr] == range_stretch ? 0x7e0000000000 + pick(PLACE)
							   : pick(100);
		words[nr + 3] = pick(words[nr] == range_stretch ? 700 * PLACE : 16);
		nr += 1 + WORDS;
	}
	return nr;
}

/* A loop of some stretches, of which two times are put to tell the amounts. */
static void put_loop(struct trace *trace, struct accesses *expected)
{
	uint64_t words[2 * 6 * (1 + WORDS)], times = 1 + pick(300);
	size_t period = random_words(words, 1 + pick(6));

	for (size_t i = 0; i < period; i++)
		words[period + i] = words[i] + (i % (1 + WORDS) == 1 || i % (1 + WORDS) == 2
							? 8 * (pick(200) - 100)
							: 0);
	for (size_t i = 0; i < period; i += 1 + WORDS)
		if (words[i] == range_stretch)
			words[i + 3] = words[period + i + 3] = pick(100);
	CHECK(trace_put_again(trace, words, period, times));
	for (uint64_t time = 0; time < times; time++)
		for (size_t i = 0; i < period; i += 1 + WORDS) {
			uint64_t one[1 + WORDS];

			for (size_t j = 0; j < 1 + WORDS; j++)
				one[j] = words[i + j] +
					 time * (words[period + i + j] - words[i + j]);
			expect_stretch(expected, one);
		}
}

static void put_words(struct trace *trace, struct accesses *expected)
{
	uint64_t words[40 * (1 + WORDS)];
	size_t nr = random_words(words, 1 + pick(40));

	CHECK(trace_put_words(trace, words, nr));
	for (size_t i = 0; i < nr; i += 1 + WORDS)
		expect_stretch(expected, &words[i]);
}

/* One stretch many times, more than there is room for at once, now and then in another place. */
static void put_alike(struct trace *trace, struct accesses *expected)
{
	uint64_t words[700 * (1 + WORDS)], stretch = stretches[pick(STRETCHES)],
					   address = 0x7f0000000000 + pick(100 * PLACE);
	size_t nr = (1 + pick(700)) * (1 + WORDS);

	for (size_t i = 0; i < nr; i += 1 + WORDS) {
		words[i] = stretch;
		words[i + 1] = pick(50) ? address : (address = 0x7f0000000000 + pick(100 * PLACE));
		words[i + 2] = pick(100);
		words[i + 3] = pick(16);
		expect_stretch(expected, &words[i]);
	}
	CHECK(trace_put_words(trace, words, nr));
}

struct finding {
	const struct accesses *expected;
	size_t at;
};

/* Places are asked for in the order of accesses. */
static void check_order(struct finding *finding, uint32_t site, uint64_t address)
{
	const struct accesses *expected = finding->expected;

	while (finding->at < expected->nr && (expected->items[finding->at].site != site ||
					      expected->items[finding->at].address != address))
		finding->at++;
	CHECK_THAT(finding->at, <, expected->nr);
}

/* Every page is a place of its own, elsewhere in the modelled machine. */
static void find_page(void *ctx, uint32_t site, uint64_t address, struct runs_place *out)
{
	if (ctx)
		check_order(ctx, site, address);
	out->low = address & ~(uint64_t)(PLACE - 1);
	out->high = out->low + PLACE;
	out->shift = out->low * 2;
	out->slot = (uint32_t)(out->low / PLACE);
}

static void check_run(const struct stride_run *run, uint64_t time, const struct accesses *expected,
		      size_t at)
{
	uint64_t address = run->address + time * (uint64_t)run->stride;

	CHECK_THAT(at, <, expected->nr);
	CHECK_INT(run->site, expected->items[at].site);
	CHECK_INT(address, expected->items[at].address +
				   2 * (expected->items[at].address & ~(uint64_t)(PLACE - 1)));
	CHECK_INT(run->slot, (uint32_t)(expected->items[at].address / PLACE));
	CHECK_INT(run->bytes, expected->items[at].bytes);
	CHECK_INT(run->write, expected->items[at].write);
}

/* As the simulator takes them; returns how many accesses of the expected ones are done. */
static size_t check_runs(const struct stride_run *runs, size_t nr, const struct accesses *expected,
			 size_t at)
{
	for (size_t i = 0; i < nr; i += runs[i].group) {
		CHECK(runs[i].group >= 1 && i + runs[i].group <= nr);
		for (uint64_t time = 0; time < runs[i].times; time++)
			for (uint8_t j = 0; j < runs[i].group; j++) {
				CHECK_INT(runs[i + j].times, runs[i].times);
				check_run(&runs[i + j], time, expected, at++);
			}
	}
	return at;
}

TEST(trace__runs_are_the_accesses_one_by_one)
{
	struct trace *trace = new_trace(64);
	struct trace_runs *runs = calloc(1, sizeof(*runs));
	const struct stride_run *some;
	struct finding finding;
	size_t nr;

	CHECK(runs != NULL);
	make_stretches();
	trace_runs_init(runs, trace, find_page, &finding);
	for (int round = 0; round < 40; round++) {
		struct accesses expected = { 0 };
		size_t at = 0;

		finding = (struct finding){ &expected, 0 };
		for (int i = 0; i < 10; i++)
			(pick(3) ? pick(2) ? put_loop : put_words : put_alike)(trace, &expected);
		CHECK(trace_put_mark(trace, 1, NULL, 0));
		while ((nr = trace_runs_next(runs, &some)))
			at = check_runs(some, nr, &expected, at);
		CHECK_THAT(at, >, 0);
		CHECK_INT(at, expected.nr);
		trace_take(trace); /* the mark */
		free(expected.items);
	}
	CHECK_INT(runs->skipped, 0);
	free(runs);
	free_trace(trace);
}

/* A word that heads no stretch: the rest of the entry is left out, and counted. */
TEST(trace__runs_leave_out_what_is_no_record)
{
	struct trace *trace = new_trace(2);
	struct trace_runs *runs = calloc(1, sizeof(*runs));
	const uint64_t words[] = { UINT32_MAX, 1, 2, 3 };
	const struct stride_run *some;

	CHECK(runs != NULL);
	trace_runs_init(runs, trace, find_page, NULL);
	CHECK(trace_put_words(trace, words, 4));
	CHECK_INT(trace_runs_next(runs, &some), 0);
	CHECK_INT(runs->skipped, 1);
	CHECK(!trace_look(trace, &(struct trace_entry){ 0 }));
	free(runs);
	free_trace(trace);
}

/* One limit for string instructions and for memcpy and the like. */
TEST(trace__runs_leave_out_what_is_too_long)
{
	const struct record_site site = { .size = 8,
					  .access = CODE_ACCESS_REPEATED,
					  .base_word = 1,
					  .count_word = 2,
					  .write = true };
	uint64_t most[] = { 0, 0x1000, RECORD_BYTES_MOST / 8, 0 },
		 range[] = { 0, 0x1000, 0, RECORD_BYTES_MOST + 1 };
	struct trace *trace = new_trace(2);
	struct trace_runs *runs = calloc(1, sizeof(*runs));
	const struct stride_run *some;
	struct record_access access;

	CHECK(runs != NULL);
	CHECK_INT(record_expand(&site, most, &access, 1), 1);
	CHECK_INT(access.bytes, RECORD_BYTES_MOST);
	most[2]++;
	CHECK_INT(record_expand(&site, most, &access, 1), 0);
	most[2] = UINT64_MAX / 8 + 2;
	CHECK_INT(record_expand(&site, most, &access, 1), 0);
	make_stretches();
	range[0] = range_stretch;
	trace_runs_init(runs, trace, find_page, NULL);
	CHECK(trace_put_words(trace, range, 4));
	CHECK_INT(trace_runs_next(runs, &some), 0);
	CHECK_INT(runs->skipped, 1);
	most[0] = record_rows_add_stretch(&(struct record_stretch){
		.first_site = record_rows_add_site(&site), .nr_sites = 1, .words = 3 });
	CHECK(trace_put_words(trace, most, 4));
	CHECK_INT(trace_runs_next(runs, &some), 0);
	CHECK_INT(runs->skipped, 2);
	range[3]--;
	CHECK(trace_put_words(trace, range, 4));
	CHECK_INT(trace_runs_next(runs, &some), RUNS_AT_ONCE);
	free(runs);
	free_trace(trace);
}
