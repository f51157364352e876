/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of arrays: how they are written, and the bytes that they are. */
#include "analysis/counting/ranges.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

static struct arena *arena;

static const char *read(const char *text, struct range *out)
{
	const char *behind;

	arena = arena ? arena : arena_new();
	return range_read(text, out, &behind);
}

TEST(ranges__as_c_and_fortran_write_them)
{
	struct range range;

	CHECK(!read("u[0:9]", &range));
	CHECK(range.nr_name == 1 && range.nr == 6 && !range.column_major && !range.colons &&
	      range.first == 0 && range.last == 9);
	CHECK(!read("ns::u[7]", &range));
	CHECK(range.nr_name == 5 && range.first == 7 && range.last == 7);
	CHECK(!read("m::u(:,:,-5:-2)", &range));
	CHECK(range.nr_name == 4 && range.column_major && range.colons == 2 && range.first == -5 &&
	      range.last == -2);
	CHECK(!read("rows[i][0:3]", &range)); /* blocks that pointers in an array lead to */
	CHECK(range.nr_name == 7 && range.last == 3);
	CHECK(!read("(allocated before memsearch came)[1:2]", &range));
	CHECK_INT(range.nr_name, 33);
}

TEST(ranges__lists)
{
	const char *list = "u[0:9],v(:,1:2),w[3]", *behind;
	struct range range;

	CHECK(!range_read(list, &range, &behind) && range.nr == 6 && behind == list + 7);
	CHECK(!range_read(behind, &range, &behind) && range.nr == 8 && range.first == 1 &&
	      behind == list + 16);
	CHECK(!range_read(behind, &range, &behind) && range.nr == 4 && !*behind);
}

TEST(ranges__wrong_words_are_told)
{
	static const char *const texts[] = { "",
					     "u",
					     "u[",
					     "u]",
					     "u[]",
					     "[0:1]",
					     "u[0:1",
					     "u(0:1]",
					     "u[a:b]",
					     "u[0:]",
					     "u[:9]",
					     "u[0:1:2]",
					     "u[1 :2]",
					     "u[3:2]",
					     "u(:)",
					     "u(:,:)",
					     "u(:,1:2,:)",
					     "u[:,1:2]",
					     "u[0:1],",
					     "u[0:1]x",
					     "u[0:99999999999999999999]",
					     "u[0:2000000000000000000]",
					     "u[--1:2]" };
	struct range range;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!read(texts[i], &range))
			test_fail(__FILE__, __LINE__, "'%s' is taken", texts[i]);
}

struct expected {
	const char *range, *type, *shape;
	uint32_t element;
	uint64_t block, low, high;
	const char *result;
};

TEST(ranges__bytes_of_blocks)
{
	static const struct expected all[] = {
		{ "u[0:9]", "double", "[100]", 8, 800, 0, 80, "[10]" },
		{ "u[99]", "double", "[100]", 8, 800, 792, 800, "[1]" },
		{ "u[1:2]", "float", "[10][20]", 4, 800, 80, 240, "[2][20]" },
		{ "u[1:2]", "float", "[][20]", 4, 800, 80, 240, "[2][20]" },
		{ "u[5:9]", "double", "", 8, 80, 40, 80, "[5]" },
		{ "u(1:10)", "real(8)", "(100)", 8, 800, 0, 80, "(1:10)" },
		{ "u(-5:4)", "real(8)", "(-5:494)", 8, 4000, 0, 80, "(-5:4)" },
		{ "u(:,1:2)", "real(8)", "(0:99,300)", 8, 240000, 0, 1600, "(0:99,1:2)" },
		{ "u(:,:,3)", "real(4)", "(2,3,4)", 4, 96, 48, 72, "(2,3,3:3)" },
		{ "u(:,2:3)", "real(8)", "(10,:)", 8, 400, 80, 240, "(10,2:3)" },
		{ "u(2:3)", "", NULL, 8, 80, 8, 24, "(2:3)" },
	};
	struct range range;
	uint64_t low, high;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct run_array array = { .name = "u",
						 .type = all[i].type,
						 .shape = all[i].shape,
						 .element_bytes = all[i].element };

		CHECK(!read(all[i].range, &range));
		CHECK(!range_bytes(arena, &range, &array, all[i].block, &low, &high));
		if (low != all[i].low || high != all[i].high)
			test_fail(__FILE__, __LINE__, "%s of %s is %llu to %llu", all[i].range,
				  all[i].shape, (unsigned long long)low, (unsigned long long)high);
		CHECK_STR(range_shape(arena, &range, &array), all[i].result);
	}
}

struct refused {
	const char *range, *shape;
	uint32_t element;
	uint64_t block;
	const char *why;
};

TEST(ranges__what_is_no_range_of_the_array)
{
	static const struct refused all[] = {
		{ "u[0:1]", "[10]", 0, 80, "is of an array whose elements are of unknown size" },
		{ "u[0:10]", "[10]", 8, 80, "is not in the array, whose indices are 0 to 9" },
		{ "u[-1:3]", "[10]", 8, 80, "is not in the array, whose indices are 0 to 9" },
		{ "u(0:3)", "(10)", 8, 80, "is not in the array, whose indices are 1 to 10" },
		{ "u(1:3)", "[10]", 8, 80,
		  "is not a range of u, which is double [10]: write u[a:b]" },
		{ "u[0:3]", "(10,20)", 8, 1600,
		  "is not a range of u, which is double (10,20): write u(:,a:b)" },
		{ "u(1:3)", "(10,20)", 8, 1600,
		  "is not a range of u, which is double (10,20): write u(:,a:b)" },
		{ "u(:,1:3)", "(10)", 8, 80,
		  "is not a range of u, which is double (10): write u(a:b)" },
		{ "u[0:1]", "[10][]", 8, 80, "is of an array of unknown shape: double[10][]" },
		{ "u(:,0:1)", "(:,:)", 8, 80, "is of an array of unknown shape: double(:,:)" },
		{ "u[0:1]", "", 8, 0, "is of an array of unknown shape: double" },
		{ "u[0:1]", "[x]", 8, 80, "is of an array whose shape '[x]' is not understood" },
		{ "u[0:1]", "[1000000000000000000]", 4096, 80,
		  "is of an array of unknown shape: double[1000000000000000000]" },
	};
	struct range range;
	uint64_t low, high;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct run_array array = { .name = "u",
						 .type = "double",
						 .shape = all[i].shape,
						 .element_bytes = all[i].element };
		const char *why;

		CHECK(!read(all[i].range, &range));
		why = range_bytes(arena, &range, &array, all[i].block, &low, &high);
		CHECK_STR(why ? why : "nothing", all[i].why);
	}
}
