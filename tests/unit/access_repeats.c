/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops in a record: counted at once, they must amount to the same as stretch by stretch, and as
 * the accesses themselves.
 */
#include "ompt_tool/accesses/access_repeats.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/code/code.h"
#include "analysis/counting/access_table.h"
#include "analysis/counting/line_set.h"
#include "analysis/trace/record_rows.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/word_buffer.h"
#include "tests/unit/decoded.h"
#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define WORDS 4096
#define STRETCHES 300 /* more than there is room to remember */
#define ARRAYS 3
/* an address of no array stands for its page, so arrays are pages here */
#define PAGE 4096
#define ARRAY_BYTES (2 * PAGE)
#define SPACE (ARRAYS * 3 * PAGE)
#define SITES (STRETCHES * 4)
#define REGION 5

static _Alignas(PAGE) char space[SPACE];
static uint32_t ids[ARRAYS], stretches[STRETCHES], range;
static uint64_t words[WORDS];
static size_t nr_words;

/* ------------------------------------------------------------------ streams */

static void declare_arrays(void)
{
	for (uint64_t i = 0; i < ARRAYS; i++) {
		struct array row = { .kind = ARRAY_STATIC,
				     .name = "a",
				     .type = "",
				     .file = "",
				     .module = "",
				     .bytes = ARRAY_BYTES };

		ids[i] = array_new(&row);
		CHECK(array_block_add(ids[i], (uintptr_t)space + i * 3 * PAGE, ARRAY_BYTES));
	}
}

/* A word each for base and index of addresses, and, of every seventh stretch, a mask. */
static uint32_t random_stretch(void)
{
	struct record_stretch stretch = { .first_site = record_nr_sites(),
					  .nr_sites = 1 + (uint32_t)pick(4),
					  .words = 3 };
	bool masked = !pick(7);

	for (uint32_t i = 0; i < stretch.nr_sites; i++) {
		struct record_site site = { .size = 4u << pick(2),
					    .access = masked ? CODE_ACCESS_MASKED
							     : CODE_ACCESS_PLAIN,
					    .base_word = 1,
					    .index_word = pick(2) ? 2 : 0,
					    .scale = 8,
					    .displacement = 16 * (int64_t)pick(4),
					    .mask_word = 3,
					    .lanes = 4,
					    .read = pick(3) > 0 };

		site.write = !site.read || !pick(3);
		record_rows_add_site(&site);
	}
	return record_rows_add_stretch(&stretch);
}

static void make_stretches(void)
{
	struct record_stretch row = { .event = RECORD_RANGE, .words = 3 };

	for (int i = 0; i < STRETCHES; i++)
		stretches[i] = random_stretch();
	range = record_rows_add_stretch(&row);
}

static int64_t random_step(void)
{
	const int64_t steps[] = { 0, 8, 8, 64, -8, 1000, -512 };

	return steps[pick(sizeof(steps) / sizeof(steps[0]))];
}

/* of a loop's body */
struct piece {
	uint32_t stretch;
	uint64_t base;
	int64_t step, index_step;
};

static void put(const struct piece *piece, uint64_t i)
{
	uint64_t base = piece->base + i * (uint64_t)piece->step;

	words[nr_words++] = piece->stretch;
	words[nr_words++] = base;
	words[nr_words++] = piece->stretch == range ? (uintptr_t)space
						    : i * (uint64_t)piece->index_step / 8;
	words[nr_words++] = piece->stretch == range ? 24 : pick(16) ? 5 : pick(16);
}

/*
 * A loop that walks on, passing from array to array; now and then it leaves out a piece, or jumps.
 */
static void put_loop(void)
{
	struct piece pieces[6];
	size_t nr = 1 + pick(6), few = 1 + pick(STRETCHES);
	bool uneven = !pick(4);

	for (size_t i = 0; i < nr; i++)
		pieces[i] = (struct piece){ pick(20) ? stretches[pick(few)] : range,
					    (uintptr_t)space + pick(SPACE), random_step(),
					    8 * random_step() };
	for (uint64_t times = pick(30), i = 0; i < times; i++)
		for (size_t j = 0; j < nr && nr_words + 4 <= WORDS; j++) {
			if (uneven && !pick(10))
				pieces[j].base += 8 * pick(100);
			if (!uneven || pick(10))
				put(&pieces[j], i);
		}
}

static void fill(void)
{
	nr_words = 0;
	while (nr_words + 4 <= WORDS)
		put_loop();
}

/* ------------------------------------------------------------------ the slow way */

struct expected {
	struct access_counts counts;
	uint64_t low, high;
};

static struct expected expected[SITES + 1][ARRAYS + 1];
static uint64_t expected_ranges[2]; /* bytes read and written by them */

static size_t array_of(uint64_t address)
{
	for (size_t i = 0; i < ARRAYS; i++)
		if (address - ((uintptr_t)space + i * 3 * PAGE) < ARRAY_BYTES)
			return i;
	return ARRAYS;
}

static void expect(uint32_t number, const struct record_site *site, uint64_t address)
{
	struct expected *at = &expected[number][array_of(address)];
	bool first = !(at->counts.reads + at->counts.writes);

	at->counts.reads += site->read;
	at->counts.writes += site->write;
	at->counts.read_bytes += site->read ? site->size : 0;
	at->counts.written_bytes += site->write ? site->size : 0;
	at->low = first || address < at->low ? address : at->low;
	at->high = first || address + site->size > at->high ? address + site->size : at->high;
}

static void expect_site(uint32_t number, const uint64_t *stretch)
{
	const struct record_site *site = record_site(number);
	uint64_t address = stretch[1] + (site->index_word ? 8 * stretch[2] : 0) +
			   (uint64_t)site->displacement;

	for (unsigned int lane = 0; lane < (site->access == CODE_ACCESS_MASKED ? site->lanes : 1u);
	     lane++)
		if (site->access == CODE_ACCESS_PLAIN || stretch[3] >> lane & 1)
			expect(number, site, address + lane * site->size);
}

static void expect_words(void)
{
	for (size_t at = 0; at < nr_words; at += 4) {
		const struct record_stretch *row = record_stretch(words[at]);

		expected_ranges[0] += words[at] == range ? 24 : 0;
		expected_ranges[1] += words[at] == range ? 24 : 0;
		for (uint32_t i = 0; i < row->nr_sites; i++)
			expect_site(row->first_site + i, &words[at]);
	}
}

/* ------------------------------------------------------------------ comparing */

struct comparison {
	const struct access_table *other;
	size_t rows, walks;
};

static const struct access_row *same_row(const struct access_table *table,
					 const struct access_row *row)
{
	for (uint32_t i = 0; i < table->nr_rows; i++)
		if (table->rows[i].site == row->site && table->rows[i].array == row->array &&
		    table->rows[i].region == row->region)
			return &table->rows[i];
	return NULL;
}

static void check_expected(const struct access_row *row)
{
	size_t array = row->array == ARRAY_NONE ? ARRAYS : row->array - ids[0];
	const struct expected *at = &expected[row->site][array];

	CHECK_INT(row->counts.reads, at->counts.reads);
	CHECK_INT(row->counts.writes, at->counts.writes);
	CHECK_INT(row->counts.read_bytes, at->counts.read_bytes);
	CHECK_INT(row->counts.written_bytes, at->counts.written_bytes);
	CHECK_INT(row->low, at->low);
	CHECK_INT(row->high, at->high);
}

static void compare(void *ctx, const struct access_row *row, uint32_t executions)
{
	struct comparison *comparison = ctx;
	const struct access_row *same = same_row(comparison->other, row);

	CHECK(same != NULL);
	CHECK_INT(executions, 1);
	CHECK_INT(row->stride, same->stride);
	CHECK_INT(row->with_stride, same->with_stride);
	CHECK_INT(row->counts.strided, same->counts.strided);
	CHECK_INT(row->counts.far, same->counts.far);
	CHECK_INT(row->counts.moved, same->counts.moved);
	check_expected(row);
	check_expected(same);
	comparison->rows++;
	comparison->walks += row->counts.strided > 0;
}

static void end(struct access_table *table, struct access_counts sums[ARRAYS + 1])
{
	for (const struct access_sum *sum = access_table_end(table, REGION, 1); sum;
	     sum = access_table_next(table, sum))
		if (sum->array != ACCESS_ALL)
			access_counts_add(
				&sums[sum->array == ARRAY_NONE ? ARRAYS : sum->array - ids[0]],
				&sum->counts);
}

static void check_sums(struct access_table *whole, struct access_table *single)
{
	struct access_counts a[ARRAYS + 1] = { { 0 } }, b[ARRAYS + 1] = { { 0 } }, all = { 0 },
					rows = { 0 };

	end(whole, a);
	end(single, b);
	CHECK(!memcmp(a, b, sizeof(a)));
	for (size_t i = 0; i <= ARRAYS; i++)
		access_counts_add(&all, &a[i]);
	for (uint32_t i = 0; i < whole->nr_rows; i++)
		access_counts_add(&rows, &whole->rows[i].counts);
	CHECK_INT(all.read_bytes, rows.read_bytes + expected_ranges[0]);
	CHECK_INT(all.written_bytes, rows.written_bytes + expected_ranges[1]);
}

static struct line_set *new_lines(void)
{
	struct line_set *lines = calloc(1, sizeof(*lines));

	CHECK(lines != NULL);
	lines->pool = calloc(1, sizeof(*lines->pool));
	CHECK(lines->pool != NULL);
	return lines;
}

/* The same lines are touched, written and accessed as often. */
static void check_lines(struct line_set *whole, struct line_set *single)
{
	const struct line_piece *a, *b;

	line_set_close(whole);
	line_set_close(single);
	for (a = whole->sorted, b = single->sorted; a && b; a = a->after, b = b->after) {
		CHECK_INT(a->address, b->address);
		CHECK(!memcmp(a->lines, b->lines, LINE_PIECE_LINES * sizeof(*a->lines)));
	}
	CHECK(!a && !b && whole->sorted);
	line_set_clear(whole);
	line_set_clear(single);
}

static struct line_set *lines[2];

static void check_stream(size_t *rows, size_t *walks)
{
	struct access_table *whole = calloc(1, sizeof(*whole)),
			    *single = calloc(1, sizeof(*single));
	struct comparison comparison = { .other = single };

	CHECK(whole != NULL && single != NULL);
	memset(expected, 0, sizeof(expected));
	memset(expected_ranges, 0, sizeof(expected_ranges));
	whole->world = single->world = &decoding_world;
	access_table_enter(whole, REGION);
	access_table_enter(single, REGION);
	whole->lines = lines[0];
	single->lines = lines[1];
	for (int buffer = 0; buffer < 3; buffer++) {
		fill();
		expect_words();
		decoded(whole, words, nr_words);
		for (size_t at = 0; at < nr_words; at += 4)
			decoded(single, &words[at], 4);
	}
	check_sums(whole, single);
	check_lines(lines[0], lines[1]);
	CHECK_INT(whole->nr_rows, single->nr_rows);
	CHECK_INT(whole->dropped + single->dropped, 0);
	access_table_each(whole, compare, &comparison);
	*rows += comparison.rows;
	*walks += comparison.walks;
	free(whole);
	free(single);
}

TEST(access_repeats__loops_amount_to_what_they_do)
{
	size_t rows = 0, walks = 0;

	declare_arrays();
	make_stretches();
	CHECK_THAT(record_nr_sites(), <=, SITES);
	lines[0] = new_lines();
	lines[1] = new_lines();
	for (int i = 0; i < 300; i++)
		check_stream(&rows, &walks);
	CHECK(rows > 10000 && walks > 100);
}

/* ------------------------------------------------------------------ finding */

static struct repeats repeats;

/* Takes what is found as the table does; how many words were in repetitions. */
static size_t words_repeated(void)
{
	struct repetition found;
	size_t sum_of_words = 0;

	repeats_begin(&repeats);
	for (size_t at = 0; at < nr_words;)
		if (repeats_find(&repeats, words, nr_words, at, &found)) {
			sum_of_words += found.period * found.times;
			at += found.period * found.times;
		} else {
			at += 1 + record_stretch(words[at])->words;
		}
	return sum_of_words;
}

/* `rows` times a piece and then `columns` times another. */
static void fill_nest(uint64_t rows, uint64_t columns)
{
	nr_words = 0;
	for (uint64_t row = 0; row < rows; row++) {
		put(&(struct piece){ stretches[0], 1000, 8, 0 }, row);
		for (uint64_t i = 0; i < columns; i++)
			put(&(struct piece){ stretches[1], 8192 + 800 * row, 8, 0 }, i);
	}
}

/* The same found by asking at each header, and by passing over those of which it is known. */
static void check_skipped(void)
{
	static struct repeats asking;
	struct repetition found, again;

	repeats_begin(&repeats);
	repeats_begin(&asking);
	for (size_t at = 0, next; at < nr_words; at = next) {
		bool is_found = repeats_find(&repeats, words, nr_words, at, &found);

		CHECK_INT(is_found, repeats_find(&asking, words, nr_words, at, &again));
		next = is_found ? at + found.period * found.times
				: repeats_skip(&repeats, words, nr_words, at, 4);
		if (is_found)
			CHECK(found.period == again.period && found.times == again.times);
		for (size_t passed = at + 4; !is_found && passed < next; passed += 4)
			CHECK(!repeats_find(&asking, words, nr_words, passed, &again));
	}
}

static void unmask(void)
{
	for (size_t at = 0; at < nr_words; at += 4)
		words[at + 3] = 0;
}

TEST(access_repeats__inner_loops_are_found)
{
	make_stretches();
	fill_nest(1, 100);
	unmask();
	CHECK_INT(words_repeated(), 100 * 4);
	fill_nest(9, 100);
	unmask();
	/* rows do not repeat: one site's accesses would lose their order */
	CHECK_INT(words_repeated(), 9 * 100 * 4);
	fill_nest(200, 1);
	unmask();
	/* of two stretches: the first tells nothing yet */
	CHECK_INT(words_repeated(), 199 * 2 * 4);
}

TEST(access_repeats__what_bends_ends_a_repetition)
{
	make_stretches();
	fill_nest(1, 100);
	unmask();
	words[4 + 50 * 4 + 1] += 8;
	CHECK_INT(words_repeated(), (50 + 49) * 4);
}

/* Of a loop with a word that does not go on, and one that does. */
TEST(access_repeats__what_does_not_go_on_is_passed_over)
{
	size_t passed = 0;

	make_stretches();
	for (int round = 0; round < 300; round++) {
		fill();
		check_skipped();
	}
	fill_nest(100, 8);
	unmask();
	for (size_t at = 0; at < nr_words; at += 4)
		words[at + 2] = at * at;
	repeats_begin(&repeats);
	for (size_t at = 0, next; at < nr_words; passed += next - at - 4, at = next) {
		CHECK(!repeats_find(&repeats, words, nr_words, at, &(struct repetition){ 0 }));
		next = repeats_skip(&repeats, words, nr_words, at, 4);
	}
	CHECK_THAT(passed, >, nr_words / 2);
}
