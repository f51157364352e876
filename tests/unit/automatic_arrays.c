/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in frames: where they are put, and that none is where another function had its own. */
#include "ompt_tool/arrays/automatic_arrays.h"

#include "analysis/debuginfo/declared.h"
#include "ompt_tool/arrays/array.h"
#include "tests/unit/test.h"

#define BIAS 0x10000u
#define STACK 0x7f0000000000u
#define NONE "-"

static struct declared_automatic items[] = {
	{ .array = { .kind = ARRAY_AUTOMATIC, .name = "a", .bytes = 8000 },
	  .offset = -9000,
	  .low = 0x100,
	  .high = 0x200,
	  .base = FRAME_BASE_CFA },
	{ .array = { .kind = ARRAY_AUTOMATIC, .name = "b", .bytes = 8000 },
	  .offset = 16,
	  .low = 0x200,
	  .high = 0x300,
	  .base = AUTOMATIC_STACK_POINTER },
	{ .array = { .kind = ARRAY_AUTOMATIC, .name = "outside", .bytes = 80000 },
	  .offset = -8000,
	  .low = 0x300,
	  .high = 0x400,
	  .base = FRAME_BASE_CFA },
};
static const struct declared_list list = { .automatic = items, .nr_automatic = 3 };

static const char *name_at(uintptr_t address)
{
	struct array_place place;

	return array_at(address, array_time(), UINT64_MAX, &place) ? array_get(place.array)->name
								   : NONE;
}

static void note(uint64_t code, uintptr_t stack, uintptr_t cfa)
{
	automatic_arrays_note(
		&(struct automatic_frame){ .code = BIAS + code, .stack = stack, .cfa = cfa });
}

TEST(automatic_arrays__by_frame_base)
{
	note(0x150, STACK, STACK + 10000);
	CHECK_STR(name_at(STACK + 1000), NONE);
	automatic_arrays_declare(&list, BIAS);
	CHECK_STR(name_at(STACK + 1000), "a");
	CHECK_STR(name_at(STACK + 8999), "a");
	CHECK_STR(name_at(STACK + 9000), NONE);
	CHECK_STR(name_at(STACK + 999), NONE);
	/* the return address behind the last instruction of a function is its own */
	note(0x300, STACK - 20000, STACK - 10000);
	CHECK_STR(name_at(STACK - 20000 + 16), "b");
	CHECK_STR(name_at(STACK - 20000 + 15), NONE);
	note(0x150, STACK, STACK + 10000); /* again */
	CHECK_STR(name_at(STACK + 1000), "a");
}

TEST(automatic_arrays__of_several_functions_at_one_place)
{
	automatic_arrays_declare(&list, BIAS);
	note(0x150, STACK, STACK + 10000);
	CHECK_STR(name_at(STACK + 1000), "a");
	note(0x250, STACK + 500, STACK + 10000);
	CHECK_STR(name_at(STACK + 1000), NONE);
	note(0x150, STACK, STACK + 10000);
	CHECK_STR(name_at(STACK + 1000), NONE);
	note(0x150, STACK - 20000, STACK - 10000); /* elsewhere it is alone */
	CHECK_STR(name_at(STACK - 19000), "a");
}

/* Outside of its block, whose code has two parts, its place may be another variable's. */
TEST(automatic_arrays__of_a_block)
{
	static const struct declared_code code[] = { { 0x110, 0x120 }, { 0x140, 0x150 } };
	static struct declared_automatic of_block;
	static const struct declared_list blocks = { .automatic = &of_block, .nr_automatic = 1 };

	of_block = items[0];
	of_block.code = code;
	of_block.nr_code = 2;
	automatic_arrays_declare(&blocks, BIAS);
	note(0x130, STACK, STACK + 10000);
	note(0x151, STACK + 10000, STACK + 20000);
	CHECK_STR(name_at(STACK + 1000), NONE);
	CHECK_STR(name_at(STACK + 11000), NONE);
	note(0x150, STACK - 20000, STACK - 10000);
	CHECK_STR(name_at(STACK - 19000), "a");
}

TEST(automatic_arrays__that_do_not_fit_are_none)
{
	automatic_arrays_declare(&list, BIAS);
	note(0x350, STACK, STACK + 10000);
	CHECK_STR(name_at(STACK + 5000), NONE);
	note(0x450, STACK - 20000, STACK - 10000); /* no function's */
	note(0x150, STACK - 40000, 0);             /* of unknown size */
	CHECK_STR(name_at(STACK - 39000), NONE);
}
