/* SPDX-License-Identifier: Apache-2.0 */
/* Threads' tables as rows of a run: strides, and dependences that loops carry. */
#include "analysis/counting/instruction_rows.h"

#include "analysis/base/arena.h"
#include "analysis/trace/record_rows.h"
#include "tests/unit/test.h"

#define BASE 0x10000u
#define ROW 800 /* bytes of a row of the array */
#define ROWS 50
enum { SERIAL, REGIONS };

static uint32_t joined(void *ctx, uint32_t number)
{
	(void)ctx;
	return number;
}

static uint32_t loop(void *ctx, uint32_t region, uint32_t joined)
{
	(void)ctx, (void)joined;
	return region;
}

static struct code_address code(void *ctx, uint64_t address)
{
	(void)ctx;
	return (struct code_address){ 0, address };
}

static uint32_t site(void *ctx, uint32_t number)
{
	(void)ctx;
	return number;
}

static const struct instruction_world world = { joined, loop, code, site, NULL, NULL };

/* An instruction that moves through ROWS rows from `begin` on, or through what `bytes` says. */
struct moved {
	bool write;
	uint32_t loop;
	int64_t begin; /* from the array's begin */
	int64_t stride;
	uint64_t bytes;
};

static struct access_row row_of(const struct moved *moved)
{
	const struct record_site site = { .size = 8, .loop = moved->loop };
	uint64_t bytes = moved->bytes ? moved->bytes : ROWS * ROW, nr = bytes / 8;
	struct access_row row = { .region = SERIAL,
				  .site = record_rows_add_site(&site),
				  .stride = moved->stride,
				  .with_stride = nr,
				  .low = BASE + (uint64_t)moved->begin,
				  .high = BASE + (uint64_t)moved->begin + bytes };

	if (moved->write)
		row.counts.writes = nr;
	else
		row.counts.reads = nr;
	return row;
}

/* Of the first one, which reads. */
static uint64_t carried(const struct moved *first, const struct moved *second, bool by_one_thread)
{
	struct run_region regions[REGIONS] = { { .id = SERIAL, .kind = MS_SERIAL_REGION } };
	struct run run = { .regions = regions, .nr_regions = REGIONS };
	struct arena *arena = arena_new();
	struct instruction_rows *rows = instruction_rows_new(arena, &run, &world);
	struct access_row read = row_of(first), write = row_of(second);
	uint64_t distance;

	instruction_rows_begin(rows);
	instruction_rows_add(rows, &read, 1);
	if (!by_one_thread)
		instruction_rows_begin(rows);
	instruction_rows_add(rows, &write, 1);
	CHECK(instruction_rows_put(rows, arena));
	CHECK_INT(run.nr_accesses, 2);
	CHECK(run.accesses[0].reads > 0 && run.accesses[1].writes > 0);
	CHECK_INT(run.accesses[1].carried, 0);
	distance = run.accesses[0].carried;
	arena_free(arena);
	return distance;
}

TEST(instruction_rows__carried_dependences)
{
	static const struct {
		int line;
		struct moved read, write;
		uint64_t distance;
	} rows[] = {
		/* u(i,j) = … u(i,j-1), u(i-1,j): of the row before, of the element before */
		{ __LINE__, { false, 1, -ROW, 8, 0 }, { true, 1, 0, 8, 0 }, ROW },
		{ __LINE__, { false, 1, -8, 8, 0 }, { true, 1, 0, 8, 0 }, 8 },
		/* … the next element, the same element: not written yet */
		{ __LINE__, { false, 1, 8, 8, 0 }, { true, 1, 0, 8, 0 }, 0 },
		{ __LINE__, { false, 1, 0, 8, 0 }, { true, 1, 0, 8, 0 }, 0 },
		/* downwards it is the other way round */
		{ __LINE__, { false, 1, 8, -8, 0 }, { true, 1, 0, -8, 0 }, 8 },
		{ __LINE__, { false, 1, -8, -8, 0 }, { true, 1, 0, -8, 0 }, 0 },
		/* unrolled twice, the first half of an iteration reads what is before the second's */
		{ __LINE__, { false, 1, 0, 16, 0 }, { true, 1, 8, 16, 0 }, 0 },
		/* one half of an array is computed from the other, a boundary is copied */
		{ __LINE__, { false, 1, 0, 8, 20 * ROW }, { true, 1, 20 * ROW, 8, 20 * ROW }, 0 },
		{ __LINE__, { false, 1, 0, 8, ROW }, { true, 1, ROW, 8, ROW }, 0 },
		/* in another loop, with another stride, at one place */
		{ __LINE__, { false, 1, -8, 8, 0 }, { true, 2, 0, 8, 0 }, 0 },
		{ __LINE__, { false, 1, -8, 16, 0 }, { true, 1, 0, 8, 0 }, 0 },
		{ __LINE__, { false, 1, -8, 0, 0 }, { true, 1, 0, 0, 0 }, 0 },
		/* in no loop */
		{ __LINE__, { false, 0, -8, 8, 0 }, { true, 0, 0, 8, 0 }, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t distance = carried(&rows[i].read, &rows[i].write, true);

		if (distance != rows[i].distance)
			test_fail(__FILE__, rows[i].line, "carried over %lu bytes",
				  (unsigned long)distance);
	}
}

/* What another thread writes is no dependence of this thread's loop. */
TEST(instruction_rows__of_one_thread)
{
	const struct moved read = { false, 1, -8, 8, 0 }, write = { true, 1, 0, 8, 0 };

	CHECK_INT(carried(&read, &write, true), 8);
	CHECK_INT(carried(&read, &write, false), 0);
}

/* One row for an instruction over all threads, with the stride that most accesses have. */
TEST(instruction_rows__threads_are_added)
{
	const struct moved reads[] = { { false, 1, 0, 64, 800 }, { false, 1, 0, 8, 8000 } };
	struct run_region regions[REGIONS] = { { .id = SERIAL, .kind = MS_PARALLEL_REGION } };
	struct run run = { .regions = regions, .nr_regions = REGIONS };
	struct arena *arena = arena_new();
	struct instruction_rows *rows = instruction_rows_new(arena, &run, &world);
	struct access_row of[2] = { row_of(&reads[0]), row_of(&reads[1]) };

	of[1].site = of[0].site;
	for (int i = 0; i < 2; i++) {
		instruction_rows_begin(rows);
		instruction_rows_add(rows, &of[i], 3);
	}
	CHECK(instruction_rows_put(rows, arena));
	CHECK_INT(run.nr_accesses, 1);
	CHECK(run.accesses[0].threads == 2 && run.accesses[0].executions == 6);
	CHECK(run.accesses[0].reads == 1100 && run.accesses[0].least == 100 &&
	      run.accesses[0].most == 1000);
	CHECK_NEAR(run.accesses[0].stride, 8, 0);
	CHECK_NEAR(run.accesses[0].with_stride, 1000 / 1100.0, 1e-9);
	arena_free(arena);
}

/* Copies of an unrolled loop are compared by where one thread begins: that with most of them. */
TEST(instruction_rows__begins_of_one_thread)
{
	const struct moved reads[] = { { false, 1, 88, 208, 0 }, { false, 1, 192, 208, 0 } },
			   other = { false, 1, 88 + 31200, 208, 0 };
	struct run_region regions[REGIONS] = { { .id = SERIAL, .kind = MS_PARALLEL_REGION } };
	struct run run = { .regions = regions, .nr_regions = REGIONS };
	struct arena *arena = arena_new();
	struct instruction_rows *rows = instruction_rows_new(arena, &run, &world);
	struct access_row of[3] = { row_of(&other), row_of(&reads[0]), row_of(&reads[1]) };

	of[0].site = of[1].site;
	for (int i = 0; i < 3; i++) {
		if (i < 2)
			instruction_rows_begin(rows);
		instruction_rows_add(rows, &of[i], 1);
	}
	CHECK(instruction_rows_put(rows, arena));
	CHECK_INT(run.nr_accesses, 2);
	CHECK_INT(run.accesses[0].start, 1);
	CHECK_INT(run.accesses[1].start, 105);
	arena_free(arena);
}
