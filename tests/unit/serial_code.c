/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of a function on the stack go into its clone, and come back, however deep the stack is by
 * then.
 */
#include "ompt_tool/events/serial_code.h"

#include <unwind.h>

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/code/bounds.h"
#include "tests/unit/sampling.h"

extern char __executable_start[], etext[];

static bool entered, was_in_clone, is_in_clone;

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *ctx)
{
	*(bool *)ctx |= clone_around(_Unwind_GetIP(context)) != NULL;
	return _URC_NO_REASON;
}

/* A clone would be left before it calls a function that uses its own return address. */
NOT_INSTRUMENTED static bool caller_is_in_clone(void)
{
	bool found = false;

	_Unwind_Backtrace(look_at, &found);
	return found;
}

NOT_INSTRUMENTED static int leave_from(int depth)
{
	if (depth) {
		int frames = leave_from(depth - 1);

		__asm__ volatile("" : : : "memory"); /* a frame of its own */
		return frames + 1;
	}
	serial_code_leave();
	return 1;
}

NOT_INSTRUMENTED static int stretch(int depth)
{
	int frames;

	entered = serial_code_enter();
	was_in_clone = caller_is_in_clone();
	frames = leave_from(depth);
	is_in_clone = caller_is_in_clone();
	return frames;
}

/* All but the one function is not the program's. */
static void set_up(void)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES };
	struct code_bounds bounds;

	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	CHECK_THAT(code_bounds_find((uintptr_t)stretch, &bounds), ==, CODE_BOUNDS_FOUND);
	CHECK(clone_make((uintptr_t)stretch, &options));
	serial_code_foreign((uintptr_t)__executable_start, bounds.start);
	serial_code_foreign(bounds.end, (uintptr_t)etext);
	/* libraries; clones are nearer */
	serial_code_foreign((uintptr_t)etext + (1ull << 33), UINT64_MAX);
}

static void goes_back_from(int depth)
{
	CHECK_INT(stretch(depth), depth + 1);
	if (!entered)
		test_skip("return addresses cannot be exchanged here");
	CHECK(was_in_clone);
	CHECK(!is_in_clone);
}

TEST(serial_code__goes_back)
{
	set_up();
	goes_back_from(3);
}
TEST(serial_code__goes_back_from_deep_recursion)
{
	set_up();
	goes_back_from(2000);
}
