/* SPDX-License-Identifier: Apache-2.0 */
/* Strides of the source from copies of one access: what is unrolled, and what is not. */
#include "analysis/report/unrolled.h"

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "tests/unit/test.h"

#define MOST 8

/* An instruction of loop 1 at k.c:LINE:COLUMN. */
struct site {
	int line, column;
	bool writes;
	double stride;
	uint64_t start; /* as the record has it: + 1 */
	double told;    /* stride in the source */
	uint32_t unrolled;
};

static const struct {
	int line;
	uint32_t element_bytes; /* 0: not known */
	struct site sites[MOST];
} rows[] = {
	/* a field of structs of 104 bytes, read and written, unrolled twice */
	{ __LINE__,
	  0,
	  { { 4, 9, false, 208, 89, 104, 2 },
	    { 4, 9, false, 208, 193, 104, 2 },
	    { 5, 9, true, 208, 89, 104, 2 },
	    { 5, 9, true, 208, 193, 104, 2 } } },
	/* downwards; one begins an iteration later, as its first ones are not recorded */
	{ __LINE__,
	  0,
	  { { 4, 9, false, -208, 1009, 104, 2 }, { 4, 9, false, -208, 697, 104, 2 } } },
	/* four times; two fields in one line */
	{ __LINE__,
	  0,
	  { { 4, 9, false, 400, 1, 100, 4 },
	    { 4, 9, false, 400, 101, 100, 4 },
	    { 4, 9, false, 400, 201, 100, 4 },
	    { 4, 9, false, 400, 301, 100, 4 },
	    { 4, 20, false, 400, 9, 100, 4 },
	    { 4, 20, false, 400, 109, 100, 4 },
	    { 4, 20, false, 400, 209, 100, 4 },
	    { 4, 20, false, 400, 309, 100, 4 } } },
	/* one of the copies has another line: as the loop is unrolled, so is the access */
	{ __LINE__,
	  0,
	  { { 4, 9, false, 208, 1, 104, 2 },
	    { 4, 9, false, 208, 105, 104, 2 },
	    { 5, 9, true, 208, 1, 104, 2 },
	    { 6, 9, true, 208, 105, 104, 2 } } },
	/* fields of a struct: of other columns, or no part of the stride apart */
	{ __LINE__, 0, { { 4, 9, false, 128, 1, 128, 0 }, { 4, 20, false, 128, 65, 128, 0 } } },
	{ __LINE__, 0, { { 4, 9, false, 128, 1, 128, 0 }, { 4, 9, false, 128, 33, 128, 0 } } },
	/* the same where columns are not known: half of an element of 96 bytes */
	{ __LINE__, 96, { { 4, 0, false, 96, 1, 96, 0 }, { 4, 0, false, 96, 49, 96, 0 } } },
	{ __LINE__, 96, { { 4, 0, false, 192, 1, 96, 2 }, { 4, 0, false, 192, 97, 96, 2 } } },
	/* in two lines: rows of a loop that takes two at a time */
	{ __LINE__, 0, { { 4, 9, false, 128, 1, 128, 0 }, { 5, 9, false, 128, 65, 128, 0 } } },
	/* the same place twice: x += y of two instructions */
	{ __LINE__, 0, { { 4, 9, false, 128, 1, 128, 1 }, { 4, 9, false, 128, 1, 128, 1 } } },
	/* other strides, one instruction, no lines, addresses that are not known */
	{ __LINE__, 0, { { 4, 9, false, 128, 1, 128, 0 }, { 4, 9, false, 256, 65, 256, 0 } } },
	{ __LINE__, 0, { { 4, 9, false, 128, 1, 128, 0 } } },
	{ __LINE__, 0, { { 0, 0, false, 128, 1, 128, 0 }, { 0, 0, false, 128, 65, 128, 0 } } },
	{ __LINE__, 0, { { 4, 9, false, 128, 0, 128, 0 }, { 4, 9, false, 128, 0, 128, 0 } } },
};

static struct run_access access_of(const struct site *site)
{
	return (struct run_access){
		.loop = 1,
		.bytes = 8,
		.reads = site->writes ? 0 : 100,
		.writes = site->writes ? 100 : 0,
		.stride = site->stride,
		.with_stride = 1,
		.start = site->start,
		.source = { .function = "sum", .file = "k.c", .line = site->line },
	};
}

TEST(unrolled__strides)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct run_access accesses[MOST];
		int columns[MOST];
		struct run_array array = { .element_bytes = rows[i].element_bytes };
		struct run run = { .accesses = accesses, .arrays = &array, .nr_arrays = 1 };

		while (run.nr_accesses < MOST && rows[i].sites[run.nr_accesses].stride != 0) {
			columns[run.nr_accesses] = rows[i].sites[run.nr_accesses].column;
			accesses[run.nr_accesses] = access_of(&rows[i].sites[run.nr_accesses]);
			run.nr_accesses++;
		}
		/* a second call changes nothing */
		for (int again = 0; again < 2; again++) {
			unrolled_undo(&run, columns, arena);
			for (size_t k = 0; k < run.nr_accesses; k++) {
				const struct site *site = &rows[i].sites[k];

				if (accesses[k].stride -
						    (site->stride < 0 ? -site->told : site->told) !=
					    0 ||
				    accesses[k].unrolled != site->unrolled)
					test_fail(__FILE__, rows[i].line,
						  "%zu: %g bytes, %u copies", k, accesses[k].stride,
						  accesses[k].unrolled);
			}
		}
		arena_free(arena);
	}
}
