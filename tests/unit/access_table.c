/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded accesses amount to: by region, site and data structure. */
#include "analysis/counting/access_table.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/code/code.h"
#include "analysis/trace/record_rows.h"
#include "memsearch/region.h"
#include "ompt_tool/accesses/loop_regions.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/clone_loops.h"
#include "ompt_tool/clones/loop_rows.h"
#include "ompt_tool/clones/word_buffer.h"
#include "tests/unit/decoded.h"
#include "tests/unit/test.h"

#define LOOP 7   /* a region */
#define ROWS 512 /* of the matrix, and columns */

static double matrix[ROWS][ROWS], other[ROWS * ROWS];

static struct access_table *new_table(void)
{
	struct access_table *table = calloc(1, sizeof(*table));

	CHECK(table != NULL);
	table->world = &decoding_world;
	access_table_enter(table, LOOP);
	return table;
}

static uint32_t declare(const char *name, void *start, uint64_t bytes)
{
	struct array row = { .kind = ARRAY_STATIC,
			     .name = name,
			     .type = "double",
			     .file = "",
			     .module = "",
			     .bytes = bytes };
	uint32_t id = array_new(&row);

	CHECK(id != ARRAY_NONE && array_block_add(id, (uintptr_t)start, bytes));
	return id;
}

/*
 * A stretch of `nr` sites that read, or write, `size` bytes each; number of the stretch, and of its
 * first site.
 */
static uint32_t stretch_of(uint32_t nr, uint32_t size, bool write, uint32_t *first_out)
{
	struct record_site site = {
		.size = size, .access = CODE_ACCESS_PLAIN, .read = !write, .write = write
	};
	struct record_stretch stretch = { .nr_sites = nr, .words = nr };

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t number;

		site.base_word = (uint16_t)(1 + i);
		number = record_rows_add_site(&site);
		if (!i)
			stretch.first_site = number;
	}
	if (first_out)
		*first_out = stretch.first_site;
	return record_rows_add_stretch(&stretch);
}

static void record(struct access_table *table, uint32_t stretch, const void *address)
{
	uint64_t words[] = { stretch, (uintptr_t)address };

	decoded(table, words, 2);
}

struct seen {
	struct access_counts by[8];
	uint32_t nr; /* arrays with something */
};

static struct seen end_of(struct access_table *table, uint32_t region)
{
	struct seen seen = { .nr = 0 };

	for (const struct access_sum *sum = access_table_end(table, region, 1); sum;
	     sum = access_table_next(table, sum)) {
		CHECK_INT(sum->region, region);
		if (sum->array == ACCESS_ALL || sum->loop)
			continue;
		seen.nr += sum->counts.reads + sum->counts.writes > 0;
		access_counts_add(&seen.by[sum->array == ARRAY_NONE ? 7 : sum->array % 7],
				  &sum->counts);
	}
	return seen;
}

static struct seen end(struct access_table *table)
{
	return end_of(table, LOOP);
}

TEST(access_table__counts_by_array)
{
	struct access_table *table = new_table();
	uint32_t a = declare("matrix", matrix, sizeof(matrix)),
		 b = declare("other", other, sizeof(other));
	uint32_t reads = stretch_of(1, 8, false, NULL), writes = stretch_of(1, 4, true, NULL);
	struct seen seen;
	int local;

	for (int i = 0; i < 100; i++) {
		record(table, reads, &matrix[0][i]);
		/* the same instruction, another array each time */
		record(table, reads, &other[i]);
		record(table, writes, &matrix[1][i]);
	}
	record(table, reads, &local);
	seen = end(table);
	CHECK_INT(seen.nr, 3);
	CHECK_INT(seen.by[a % 7].reads, 100);
	CHECK_INT(seen.by[a % 7].read_bytes, 800);
	CHECK_INT(seen.by[a % 7].writes, 100);
	CHECK_INT(seen.by[a % 7].written_bytes, 400);
	CHECK_INT(seen.by[b % 7].reads, 100);
	CHECK_INT(seen.by[b % 7].writes, 0);
	CHECK_INT(seen.by[7].reads, 1);
	CHECK_INT(end(table).nr, 0); /* it was handed out */
	free(table);
}

static uint64_t strided_through(uint32_t stretch, uint32_t unroll, size_t rows, size_t columns,
				bool by_column)
{
	struct access_table *table = new_table();
	uint64_t strided = 0;
	struct seen seen;

	for (size_t outer = 0; outer < (by_column ? columns : rows); outer++)
		for (size_t inner = 0; inner + unroll <= (by_column ? rows : columns);
		     inner += unroll) {
			uint64_t words[17] = { stretch };

			for (uint32_t i = 0; i < unroll; i++)
				words[1 + i] = (uintptr_t)(by_column ? &matrix[inner + i][outer]
								     : &matrix[outer][inner + i]);
			decoded(table, words, 1 + unroll);
		}
	seen = end(table);
	for (int i = 0; i < 8; i++)
		strided += seen.by[i].strided;
	free(table);
	return strided;
}

/* Unrolled, each of a loop's instructions skips what the others touch: that is no stride. */
TEST(access_table__strides_leave_something_out)
{
	uint32_t one = stretch_of(1, 8, false, NULL), sixteen = stretch_of(16, 8, false, NULL);

	declare("matrix", matrix, sizeof(matrix));
	CHECK_INT(strided_through(one, 1, ROWS, ROWS, false), 0);
	CHECK_INT(strided_through(sixteen, 16, ROWS, ROWS, false), 0);
	CHECK_THAT(strided_through(one, 1, ROWS, ROWS, true), >, ROWS * ROWS * 9 / 10);
	CHECK_THAT(strided_through(sixteen, 16, ROWS, ROWS, true), >, ROWS * ROWS * 9 / 10);
}

/*
 * Every fourth value, by loops unrolled twice and eight times: nearer than a line. And fields of
 * structs of 80 bytes.
 */
static uint64_t strided_steps(uint32_t unroll, size_t step)
{
	uint32_t stretch = stretch_of(unroll, 8, false, NULL);
	struct access_table *table = new_table();
	uint64_t words[1 + 16] = { stretch };
	struct seen seen;

	for (size_t i = 0; i + unroll * step < ROWS * ROWS; i += unroll * step) {
		for (size_t k = 0; k < unroll; k++)
			words[1 + k] = (uintptr_t)&other[i + k * step];
		decoded(table, words, 1 + unroll);
	}
	seen = end(table);
	free(table);
	return seen.by[7].strided + seen.by[0].strided + seen.by[1].strided;
}

TEST(access_table__unrolled_steps_of_less_than_a_line)
{
	CHECK_INT(strided_steps(1, 4), 0);
	CHECK_INT(strided_steps(2, 4), 0);
	CHECK_INT(strided_steps(8, 4), 0);
	CHECK_INT(strided_steps(16, 4), 0);
	for (uint32_t unroll = 1; unroll <= 4; unroll++)
		CHECK_THAT(strided_steps(unroll, 10), >, ROWS * ROWS / 10 * 9 / 10);
}

/* Rows of a block, of `vectors` vectors of 16 bytes each `step` bytes from the one before. */
static uint64_t strided_blocks(uint32_t vectors, size_t step, size_t from)
{
	uint32_t stretch = stretch_of(vectors, 16, false, NULL);
	struct access_table *table = new_table();
	uint64_t words[1 + 16] = { stretch }, strided = 0;
	struct seen seen;

	for (size_t row = 0; row < ROWS - 1; row++) {
		for (size_t i = 0; i < vectors; i++)
			words[1 + i] = (uintptr_t)matrix[row] + from + i * step;
		decoded(table, words, 1 + vectors);
	}
	seen = end(table);
	for (int i = 0; i < 8; i++)
		strided += seen.by[i].strided;
	free(table);
	return strided;
}

/* Rows of a block are far from each other, and lines of theirs are used whole or in part. */
TEST(access_table__blocks_use_whole_lines)
{
	declare("matrix", matrix, sizeof(matrix));
	CHECK_THAT(strided_blocks(1, 16, 0), >, ROWS * 9 / 10);
	CHECK_INT(strided_blocks(4, 16, 0), 0);
	CHECK_INT(strided_blocks(4, 16, 16), 0); /* wherever lines begin */
	CHECK_INT(strided_blocks(8, 16, 0), 0);
	/* nor multiples of the stride */
	for (size_t from = 0; from < sizeof(matrix[0]); from += 16)
		CHECK_INT(strided_blocks(4, 16, from), 0);
	CHECK_INT(strided_blocks(2, 32, 0), 0); /* half of a line, with a gap */
	CHECK_THAT(strided_blocks(3, 64, 0), >, 3 * ROWS * 9 / 10);
	CHECK_THAT(strided_blocks(8, 96, 0), >, 8 * ROWS * 9 / 10);
}

/* Strided accesses to a block, and to a value in each of its rows. */
static uint64_t strided_beside(size_t offset)
{
	uint32_t block = stretch_of(4, 16, false, NULL), beside = stretch_of(1, 8, false, NULL);
	struct access_table *table = new_table();
	uint64_t strided = 0;
	struct seen seen;

	for (size_t row = 0; row < ROWS; row++) {
		uint64_t words[] = { block, (uintptr_t)matrix[row], (uintptr_t)matrix[row] + 16,
				     (uintptr_t)matrix[row] + 32, (uintptr_t)matrix[row] + 48 };

		decoded(table, words, 5);
		record(table, beside, (char *)matrix[row] + offset);
	}
	seen = end(table);
	for (int i = 0; i < 8; i++)
		strided += seen.by[i].strided;
	free(table);
	return strided;
}

/*
 * What is beside a block, a value of each row, makes the block no worse, nor is it made better: far
 * from it, or less than a line.
 */
TEST(access_table__blocks_and_what_is_beside)
{
	declare("matrix", matrix, sizeof(matrix));
	for (int near = 0; near < 2; near++) {
		uint64_t strided = strided_beside(near ? 124 : 800);

		CHECK_THAT(strided, >, ROWS * 9 / 10);
		CHECK_THAT(strided, <=, ROWS);
	}
}

static int64_t stride_of;
static uint32_t nr_rows, nr_executions;

static void look(void *ctx, const struct access_row *row, uint32_t executions)
{
	(void)ctx;
	nr_rows++;
	nr_executions = executions;
	stride_of = row->stride;
	CHECK_INT(row->region, LOOP);
	CHECK_INT(row->low, (uintptr_t)matrix);
	CHECK_INT(row->high, (uintptr_t)&matrix[ROWS - 1][0] + 8);
	CHECK_INT(row->counts.reads, 2 * ROWS);
}

TEST(access_table__rows_tell_the_stride_of_a_site)
{
	struct access_table *table = new_table();
	uint32_t stretch = stretch_of(1, 8, false, NULL);

	declare("matrix", matrix, sizeof(matrix));
	for (int execution = 0; execution < 2; execution++) {
		for (int i = 0; i < ROWS; i++)
			record(table, stretch, &matrix[i][0]);
		end(table);
	}
	access_table_each(table, look, NULL);
	CHECK_INT(nr_rows, 1);
	CHECK_INT(nr_executions, 2);
	CHECK_INT(stride_of, sizeof(matrix[0]));
	free(table);
}

static struct access_row the_row;

static void keep(void *ctx, const struct access_row *row, uint32_t executions)
{
	(void)ctx;
	(void)executions;
	the_row = *row;
}

/*
 * Boyer and Moore's vote: a stride gives way when as many others came as it had votes, and one
 * more.
 */
TEST(access_table__the_most_frequent_stride)
{
	static const struct {
		int line, nr, steps[8], stride, with_stride;
	} cases[] = {
		{ __LINE__, 2, { 0, 1 }, 0, 1 },
		{ __LINE__, 3, { 0, 1, 1 }, 8, 1 },
		{ __LINE__, 6, { 0, 1, 1, 1, 2, 2 }, 8, 2 },
		{ __LINE__, 7, { 0, 1, 1, 1, 2, 2, 2 }, 16, 1 },
	};

	declare("matrix", matrix, sizeof(matrix));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct access_table *table = new_table();
		uint32_t stretch = stretch_of(1, 8, false, NULL);

		/* from the second execution on the first step is 0 */
		end(table);
		for (int j = 0, at = 0; j < cases[i].nr; j++)
			record(table, stretch, &matrix[0][at += cases[i].steps[j]]);
		end(table);
		access_table_each(table, keep, NULL);
		if (the_row.stride != cases[i].stride ||
		    the_row.with_stride != (uint64_t)cases[i].with_stride)
			test_fail(__FILE__, cases[i].line, "stride %lld, kept %llu times",
				  (long long)the_row.stride,
				  (unsigned long long)the_row.with_stride);
		free(table);
	}
}

/*
 * Far steps, and others to another line, in elements of 8 bytes: scattered; rows of two at various
 * and at one distance; a constant far step, which becomes the stride; scattered behind a row; vectors
 * of two lines.
 */
TEST(access_table__far_steps)
{
	static const struct {
		int line, steps[8], far, moved;
	} cases[] = {
		{ __LINE__, { 0, 90, -80, 100, -70, 110, -75, 70 }, 7, 0 },
		{ __LINE__, { 0, 1, 90, 1, 100, 1, 80, 1 }, 3, 0 },
		{ __LINE__, { 0, 1, 90, 1, 90, 1, 90, 1 }, 1, 0 },
		{ __LINE__, { 0, 70, 70, 70, 70, 70, 70, 70 }, 1, 1 },
		{ __LINE__, { 0, 1, 1, 1, 80, 90, 70, 100 }, 4, 0 },
		{ __LINE__, { 0, 16, 80, 16, 90, 16, 100, 16 }, 3, 4 },
	};

	declare("matrix", matrix, sizeof(matrix));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct access_table *table = new_table();
		uint32_t stretch = stretch_of(1, 8, false, NULL);

		/* from the second execution on the first step is 0 */
		end(table);
		for (int j = 0, at = 0; j < 8; j++)
			record(table, stretch, &matrix[0][at += cases[i].steps[j]]);
		end(table);
		access_table_each(table, keep, NULL);
		if (the_row.counts.far != (uint64_t)cases[i].far ||
		    the_row.counts.moved != (uint64_t)cases[i].moved)
			test_fail(__FILE__, cases[i].line, "%llu far, %llu moved",
				  (unsigned long long)the_row.counts.far,
				  (unsigned long long)the_row.counts.moved);
		free(table);
	}
}

/* What one block was and another is now: each access counts for what was there then. */
TEST(access_table__a_block_that_was_freed)
{
	struct access_table *table = new_table();
	uint32_t stretch = stretch_of(1, 8, false, NULL);
	uint32_t first = declare("first", other, sizeof(other)), second;
	struct seen seen;

	record(table, stretch, &other[0]);
	CHECK(array_block_remove((uintptr_t)other, &(uint64_t){ 0 }));
	second = declare("second", other, sizeof(other));
	record(table, stretch, &other[1]); /* in between: may be either's */
	record(table, stretch, &other[2]);
	seen = end(table);
	CHECK(seen.by[first % 7].reads >= 1 && seen.by[second % 7].reads >= 1);
	CHECK_INT(seen.by[first % 7].reads + seen.by[second % 7].reads, 3);
	free(table);
}

TEST(access_table__inner_regions_have_their_own)
{
	struct access_table *table = new_table();
	uint32_t stretch = stretch_of(1, 8, false, NULL),
		 a = declare("matrix", matrix, sizeof(matrix));
	struct seen inner;

	record(table, stretch, matrix);
	access_table_enter(table, LOOP + 1);
	record(table, stretch, matrix);
	record(table, stretch, matrix);
	inner = end_of(table, LOOP + 1);
	access_table_enter(table, LOOP);
	record(table, stretch, matrix);
	CHECK_INT(inner.by[a % 7].reads, 2);
	CHECK_INT(end(table).by[a % 7].reads, 2);
	free(table);
}

struct trace_reader {
	struct access_row row;
	uint32_t nr;
};

static void keep_used(void *ctx, const struct access_row *row, uint32_t executions)
{
	struct trace_reader *kept = ctx;

	(void)executions;
	if (!(row->counts.reads + row->counts.writes))
		return;
	kept->row = *row;
	kept->nr++;
}

TEST(access_table__what_has_its_region_later)
{
	struct access_table *table = new_table();
	uint32_t stretch = stretch_of(1, 8, false, NULL),
		 a = declare("matrix", matrix, sizeof(matrix));
	struct trace_reader rows = { .nr = 0 };
	struct seen seen;

	record(table, stretch, matrix);
	access_table_enter(table, LOOP + 1);
	for (int i = 0; i < 100; i++)
		record(table, stretch, &matrix[0][i]);
	access_table_rename(table, LOOP + 1, LOOP);
	access_table_enter(table, LOOP);
	seen = end(table);
	CHECK_INT(seen.by[a % 7].reads, 101);
	access_table_each(table, keep_used, &rows);
	CHECK_INT(rows.nr, 1);
	CHECK_INT(rows.row.region, LOOP);
	CHECK_INT(rows.row.stride, 8);
	CHECK_INT(rows.row.counts.reads, 101);
	CHECK_INT(rows.row.low, (uintptr_t)matrix);
	CHECK_INT(rows.row.high, (uintptr_t)&matrix[0][100]);
	free(table);
}

TEST(access_table__what_nobody_wants_is_forgotten)
{
	struct access_table *table = new_table();
	uint32_t stretch = stretch_of(1, 8, false, NULL);
	struct trace_reader rows = { .nr = 0 };

	declare("matrix", matrix, sizeof(matrix));
	record(table, stretch, matrix);
	access_table_forget(table, LOOP);
	access_table_each(table, keep_used, &rows);
	CHECK_INT(rows.nr, 0);
	CHECK_INT(end(table).nr, 0);
	CHECK_INT(table->dropped, 0);
	free(table);
}

static void look_executions(void *ctx, const struct access_row *row, uint32_t executions)
{
	(void)ctx;
	if (row->counts.reads + row->counts.writes)
		nr_executions = executions;
}

static struct trace_reader rows_of(const struct access_table *table)
{
	struct trace_reader rows = { .nr = 0 };

	nr_executions = 0;
	access_table_each(table, keep_used, &rows);
	return rows;
}

/* One execution is whole, the next one is not: nothing of it is anywhere. */
TEST(access_table__what_is_skipped_is_not_told)
{
	struct access_table *table = new_table();
	uint32_t stretch = stretch_of(1, 8, false, NULL),
		 a = declare("matrix", matrix, sizeof(matrix));

	record(table, stretch, matrix);
	CHECK_INT(rows_of(table).nr, 0); /* under way */
	CHECK_INT(end(table).by[a % 7].reads, 1);
	for (int i = 0; i < 10; i++)
		record(table, stretch, &matrix[0][i]);
	access_table_skip(table);
	for (int i = 0; i < 10; i++)
		record(table, stretch, &matrix[0][i]);
	CHECK(!access_table_end(table, LOOP, 1));
	CHECK_INT(rows_of(table).row.counts.reads, 1);
	record(table, stretch, matrix);
	CHECK_INT(end(table).by[a % 7].reads, 1);
	CHECK_INT(rows_of(table).row.counts.reads, 2);
	access_table_each(table, look_executions, NULL);
	CHECK_INT(nr_executions, 2);
	free(table);
}

/* What is told in pieces has its rows when it ends, and if it lacks a piece, none. */
TEST(access_table__pieces_are_whole_together)
{
	struct access_table *table = new_table();
	uint32_t stretch = stretch_of(1, 8, false, NULL);

	declare("matrix", matrix, sizeof(matrix));
	record(table, stretch, matrix);
	CHECK_INT(access_table_end(table, LOOP, 0)->counts.reads, 1);
	CHECK_INT(rows_of(table).nr, 0);
	record(table, stretch, matrix);
	CHECK_INT(access_table_end(table, LOOP, 1)->counts.reads, 1);
	CHECK_INT(rows_of(table).row.counts.reads, 2);
	record(table, stretch, matrix);
	CHECK(access_table_end(table, LOOP, 0) != NULL);
	access_table_skip(table);
	CHECK(!access_table_end(table, LOOP, 0));
	record(table, stretch, matrix);
	CHECK(!access_table_end(table, LOOP, 1));
	CHECK_INT(rows_of(table).row.counts.reads, 2);
	record(table, stretch, matrix);
	CHECK_INT(access_table_end(table, LOOP, 1)->counts.reads, 1);
	access_table_each(table, look_executions, NULL);
	CHECK_INT(nr_executions, 2);
	free(table);
}

/* What was skipped before its region was known. */
TEST(access_table__a_gap_goes_with_the_name)
{
	struct access_table *table = new_table();
	uint32_t stretch = stretch_of(1, 8, false, NULL),
		 a = declare("matrix", matrix, sizeof(matrix));

	access_table_enter(table, LOOP + 1);
	record(table, stretch, matrix);
	access_table_skip(table);
	access_table_rename(table, LOOP + 1, LOOP);
	CHECK(!access_table_end(table, LOOP, 1));
	record(table, stretch, matrix);
	access_table_rename(table, LOOP + 1, LOOP);
	CHECK_INT(end(table).by[a % 7].reads, 1);
	CHECK_INT(rows_of(table).nr, 1);
	free(table);
}

TEST(access_table__begins_anew)
{
	struct access_table *table = new_table();
	uint32_t stretch = stretch_of(1, 8, false, NULL),
		 a = declare("matrix", matrix, sizeof(matrix));
	struct trace_reader rows = { .nr = 0 };

	record(table, stretch, matrix);
	end(table);
	access_table_renew(table, LOOP, 0);
	access_table_each(table, keep_used, &rows);
	CHECK_INT(rows.nr, 1);
	record(table, stretch, matrix);
	access_table_renew(table, LOOP, 1);
	rows.nr = 0;
	access_table_each(table, keep_used, &rows);
	CHECK_INT(rows.nr, 0);
	CHECK_INT(access_table_recording(table, LOOP), 1);
	record(table, stretch, matrix);
	CHECK_INT(end(table).by[a % 7].reads, 1);
	access_table_renew(table, LOOP, 1);
	access_table_each(table, look_executions, NULL);
	CHECK_INT(nr_executions, 1);
	free(table);
}

/* ------------------------------------------------------------------ loops */

/* One word that is read and written as one, and one that is only written. */
TEST(access_table__atomic_updates)
{
	struct access_table *table = new_table();
	uint32_t a = declare("matrix", matrix, sizeof(matrix)),
		 plain = stretch_of(1, 8, true, NULL);
	struct record_site site = { .size = 8,
				    .access = CODE_ACCESS_PLAIN,
				    .read = true,
				    .write = true,
				    .atomic = true,
				    .base_word = 1 };
	struct record_stretch stretch = { .first_site = record_rows_add_site(&site),
					  .nr_sites = 1,
					  .words = 1 };
	uint32_t atomic = record_rows_add_stretch(&stretch);
	struct seen seen;

	for (int i = 0; i < 100; i++) {
		record(table, plain, &matrix[0][i]);
		if (i % 4 == 0)
			record(table, atomic, &matrix[0][i]);
	}
	seen = end(table);
	CHECK_INT(seen.by[a % 7].writes, 125);
	CHECK_INT(seen.by[a % 7].reads, 25);
	CHECK_INT(seen.by[a % 7].atomics, 25);
	free(table);
}

static uint32_t loop_in(uint32_t parent)
{
	struct clone_loop row = { .header = 0x1000,
				  .parent = parent,
				  .depth = parent ? clone_loop(parent)->depth + 1 : 1 };
	uint32_t number = record_rows_add_loop(&row);

	clone_loop_join(number, number, loop_joined(parent));
	return number;
}

/* One site that reads 8 bytes, in a loop. */
static uint32_t read_in(uint32_t loop)
{
	struct record_site site = {
		.size = 8, .access = CODE_ACCESS_PLAIN, .read = true, .base_word = 1, .loop = loop
	};
	struct record_stretch stretch = { .first_site = record_rows_add_site(&site),
					  .nr_sites = 1,
					  .words = 1 };

	return record_rows_add_stretch(&stretch);
}

static uint64_t reads_of(struct access_table *table, struct access_sum *first, uint32_t loop,
			 uint32_t array)
{
	for (const struct access_sum *sum = first; sum; sum = access_table_next(table, sum))
		if (sum->loop == loop && sum->array == array)
			return sum->counts.reads;
	return UINT64_MAX;
}

/* for { 1 of a; for { 2 of a, 4 of b; for { 8 of b } } } for { 16 of a }, and 32 of a in no loop */
TEST(access_table__loops_hold_what_is_in_inner_loops)
{
	uint32_t outer = loop_in(0), middle = loop_in(outer), inner = loop_in(middle),
		 beside = loop_in(0);
	uint32_t a = declare("matrix", matrix, sizeof(matrix)),
		 b = declare("other", other, sizeof(other));
	struct access_table *table = new_table();
	const struct {
		uint32_t loop, times;
		const double *place;
	} accesses[] = {
		{ outer, 1, matrix[0] }, { middle, 2, matrix[0] },  { middle, 4, other },
		{ inner, 8, other },     { beside, 16, matrix[0] }, { 0, 32, matrix[0] },
	};

	for (int execution = 0; execution < 2; execution++) {
		struct access_sum *first;

		for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
			uint32_t stretch = read_in(accesses[i].loop);

			for (uint32_t k = 0; k < accesses[i].times; k++)
				record(table, stretch, accesses[i].place);
		}
		first = access_table_end(table, LOOP, 1);
		CHECK(first != NULL && !first->loop && first->array == ACCESS_ALL);
		CHECK_INT(reads_of(table, first, inner, b), 8);
		CHECK_INT(reads_of(table, first, inner, a), UINT64_MAX);
		CHECK_INT(reads_of(table, first, middle, b), 12);
		CHECK_INT(reads_of(table, first, middle, a), 2);
		CHECK_INT(reads_of(table, first, outer, b), 12);
		CHECK_INT(reads_of(table, first, outer, a), 3);
		CHECK_INT(reads_of(table, first, outer, ACCESS_ALL), 15);
		CHECK_INT(reads_of(table, first, beside, ACCESS_ALL), 16);
		CHECK_INT(reads_of(table, first, 0, a), 51);
		CHECK_INT(reads_of(table, first, 0, b), 12);
		CHECK_INT(first->counts.reads, 63);
		CHECK_INT(first->counts.read_bytes, 63 * 8);
	}
	CHECK_INT(access_table_end(table, LOOP, 1)->counts.reads, 0);
	CHECK_INT(table->dropped, 0);
	free(table);
}

/*
 * A vectorised loop and what it leaves over are told to be one; a loop that nobody told of is none.
 */
TEST(access_table__loops_that_are_one)
{
	uint32_t outer = loop_in(0), first = loop_in(outer),
		 second = record_rows_add_loop(&(struct clone_loop){ .parent = outer });
	uint32_t untold = record_rows_add_loop(&(struct clone_loop){ .parent = outer }),
		 a = declare("matrix", matrix, sizeof(matrix));
	struct access_table *table = new_table();
	struct access_sum *sums;

	clone_loop_join(second, first, outer);
	record(table, read_in(first), matrix);
	record(table, read_in(second), matrix);
	record(table, read_in(untold), matrix);
	sums = access_table_end(table, LOOP, 1);
	CHECK_INT(reads_of(table, sums, first, a), 2);
	CHECK_INT(reads_of(table, sums, second, a), UINT64_MAX);
	CHECK_INT(reads_of(table, sums, outer, a), 2);
	CHECK_INT(reads_of(table, sums, 0, a), 3);
	free(table);
}

/* Sums that found no place are lost as a whole, and said to be. */
TEST(access_table__more_sums_than_there_is_room_for)
{
	struct access_table *table = new_table();
	uint32_t a = declare("matrix", matrix, sizeof(matrix)), nr = 0, loop = 0;
	uint64_t counted = 0;

	for (; nr < ACCESS_SUMS; nr++) {
		loop = loop_in(nr % 8 ? loop : 0);
		record(table, read_in(loop), matrix);
	}
	for (const struct access_sum *sum = access_table_end(table, LOOP, 1); sum;
	     sum = access_table_next(table, sum))
		if (sum->array == a && !sum->loop)
			counted = sum->counts.reads;
	CHECK(table->dropped > 0 && counted > 0);
	CHECK_INT(counted + table->dropped, nr);
	free(table);
}

/* Clones are made of all that is called: of CloverLeaf they have 44,000 sites. */
TEST(access_table__a_program_has_many_sites)
{
	struct access_table *table = new_table();
	uint32_t last = 0, stretch = 0;
	size_t rows = 0;

	while (last < 200000) {
		stretch = stretch_of(1, 8, false, &last);
		if (last % 16 == 0) {
			record(table, stretch, matrix);
			rows++;
		}
	}
	CHECK(access_table_end(table, LOOP, 1) != NULL);
	CHECK_INT(table->nr_rows, rows);
	CHECK_INT(table->dropped, 0);
	free(table);
}

TEST(access_table__what_finds_no_room_is_counted)
{
	struct access_table *table = new_table();
	uint32_t last = 0, stretch = 0;

	while (last < ACCESS_SITES)
		stretch = stretch_of(1, 8, false, &last);
	record(table, stretch, matrix);
	CHECK_INT(table->dropped, 1);
	free(table);
}

/*
 * One limit for memcpy and its like, counted once though they read and write, and for string
 * instructions.
 */
TEST(access_table__what_is_too_long_is_counted)
{
	const struct record_site site = { .size = 8,
					  .access = CODE_ACCESS_REPEATED,
					  .base_word = 1,
					  .count_word = 2,
					  .write = true };
	struct access_table *table = new_table();
	uint32_t moving = record_rows_add_stretch(
		&(struct record_stretch){ .event = RECORD_RANGE, .words = 3 });
	uint32_t filling = record_rows_add_stretch(&(struct record_stretch){
		.first_site = record_rows_add_site(&site), .nr_sites = 1, .words = 3 });
	uint64_t words[] = { moving,  (uintptr_t)matrix, (uintptr_t)other,      RECORD_BYTES_MOST,
			     filling, (uintptr_t)matrix, RECORD_BYTES_MOST / 8, 0 };

	decoded(table, words, 8);
	CHECK_INT(table->too_long, 0);
	words[3]++;
	decoded(table, words, 8);
	CHECK_INT(table->too_long, 1);
	words[6]++;
	decoded(table, words, 8);
	CHECK_INT(table->too_long, 3);
	CHECK_INT(table->dropped, 0);
	free(table);
}

/* ------------------------------------------------------------------ estimates */

static void pass(struct access_table *table, uint32_t stretch, const void *address)
{
	uint64_t words[] = { stretch, (uintptr_t)address };

	decode_into(table, words, 2, true);
}

TEST(access_table__what_is_counted_stands_for_what_was_passed_over)
{
	struct access_table *table = new_table();
	uint32_t a = declare("matrix", matrix, sizeof(matrix)),
		 reads = stretch_of(1, 8, false, NULL);
	const struct access_sum *first;
	struct seen seen;

	for (int i = 0; i < 100; i++)
		record(table, reads, &matrix[0][i]);
	for (int i = 100; i < 400; i++)
		pass(table, reads, &matrix[0][i]);
	access_table_weigh(table, 4);
	for (int i = 400; i < 500; i++)
		record(table, reads, &matrix[0][i]);
	seen = end(table);
	CHECK_INT(seen.by[a % 7].reads, 500);
	CHECK_INT(seen.by[a % 7].read_bytes, 4000);
	access_table_weigh(table, 1);
	for (int i = 0; i < 100; i++) /* the region ends before the next burst */
		record(table, reads, &matrix[1][i]);
	for (int i = 100; i < 150; i++)
		pass(table, reads, &matrix[1][i]);
	first = access_table_end(table, LOOP, 1);
	CHECK(first && first->counts.reads == 150);
	CHECK(first && first->ended.recorded == 300 && first->ended.counted == 200);
	record(table, reads, matrix);
	CHECK_INT(end(table).by[a % 7].reads, 1);
	free(table);
}

TEST(access_table__nothing_is_known_where_all_was_passed_over)
{
	struct access_table *table = new_table();
	uint32_t reads = stretch_of(1, 8, false, NULL);

	declare("matrix", matrix, sizeof(matrix));
	pass(table, reads, matrix);
	CHECK(!access_table_end(table, LOOP, 1));
	record(table, reads, matrix);
	CHECK(access_table_end(table, LOOP, 1) != NULL);
	free(table);
}

static void add_reads(void *ctx, const struct access_row *row, uint32_t executions)
{
	*(uint64_t *)ctx += executions ? row->counts.reads : 0;
}

TEST(access_table__rows_stand_for_it_too)
{
	struct access_table *table = new_table();
	uint32_t reads = stretch_of(1, 8, false, NULL);
	uint64_t in_rows = 0;

	declare("matrix", matrix, sizeof(matrix));
	for (int part = 0; part < 2; part++) {
		for (int i = 0; i < 100; i++)
			record(table, reads, &matrix[0][i]);
		for (int i = 0; i < 100; i++)
			pass(table, reads, &matrix[0][i]);
		access_table_end(table, LOOP, part); /* a part of the region first */
	}
	access_table_each(table, add_reads, &in_rows);
	CHECK_INT(in_rows, 400);
	free(table);
}

/* A part in which hardly anything was counted does not stand for all that it passed over. */
TEST(access_table__parts_stand_for_each_other)
{
	struct access_table *table = new_table();
	uint32_t reads = stretch_of(1, 8, false, NULL);
	const struct access_sum *first;

	declare("matrix", matrix, sizeof(matrix));
	for (int i = 0; i < 10; i++) /* nothing is counted at first */
		pass(table, reads, &matrix[0][i]);
	first = access_table_end(table, LOOP, 0);
	CHECK(first && first->counts.reads == 0);
	for (int i = 0; i < 400; i++)
		record(table, reads, &matrix[0][i]);
	first = access_table_end(table, LOOP, 0);
	CHECK(first && first->counts.reads == 400);
	record(table, reads, &matrix[1][0]);
	for (int i = 0; i < 401 - 10; i++)
		pass(table, reads, &matrix[1][i]);
	first = access_table_end(table, LOOP, 1);
	CHECK(first && first->counts.reads == 402); /* 802 of 401 counted, less 400 */
	CHECK(first && first->ended.recorded == 2 * 392 && first->ended.counted == 2);
	record(table, reads, matrix);
	CHECK_INT(access_table_end(table, LOOP, 1)->counts.reads, 1);
	free(table);
}

TEST(access_table__a_stretch_of_serial_code_keeps_what_it_stands_for)
{
	struct access_table *table = new_table();
	uint32_t a = declare("matrix", matrix, sizeof(matrix)),
		 reads = stretch_of(1, 8, false, NULL);

	access_table_enter(table, MS_REGION_NONE);
	record(table, reads, matrix);
	pass(table, reads, &matrix[0][1]);
	access_table_rename(table, MS_REGION_NONE, LOOP);
	CHECK_INT(end(table).by[a % 7].reads, 2);
	free(table);
}
