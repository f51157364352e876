/* SPDX-License-Identifier: Apache-2.0 */
/* Return addresses on the calling thread's stack. */
#include "ompt_tool/clones/returns.h"

#include <unwind.h>

#include "ompt_tool/clones/call_frames.h"
#include "ompt_tool/code/stack_walk.h"

/*
 * The replacement of a return address; 0: none. A clone's address may be replaced by that of a
 * newer clone.
 */
static uintptr_t other_place(const struct return_places *places, uintptr_t address, bool on)
{
	uintptr_t original = places->original(address),
		  wanted = on ? places->after_call(original) : original;

	return wanted == address ? 0 : wanted;
}

bool return_move(const struct return_places *places, uintptr_t *slot, uintptr_t expected, bool on)
{
	uintptr_t place;

	if (!slot || (uintptr_t)slot % sizeof(*slot) || *slot != expected || return_shadow_stack())
		return false;
	place = other_place(places, expected, on);
	if (place)
		*slot = place;
	return place != 0;
}

struct walk {
	const struct return_places *places;
	bool on;
	unsigned int moved;
};

/*
 * The unwinder's CFA in a frame is its stack pointer after the call has returned: the return
 * address lies below it, if the frame is in a call at all, and not interrupted by a signal.
 */
static _Unwind_Reason_Code move_frame(struct _Unwind_Context *context, void *ctx)
{
	struct walk *walk = ctx;
	int interrupted = 0;
	uintptr_t address = _Unwind_GetIPInfo(context, &interrupted),
		  after = _Unwind_GetCFA(context);

	if (!interrupted && address && after)
		walk->moved += return_move(walk->places, (uintptr_t *)after - 1, address, walk->on);
	return _URC_NO_REASON;
}

/*
 * _Unwind_Backtrace stops at a function without .eh_frame, in this library and in the program; a walk
 * along frame pointers passes it. The frames behind `end` are found by .debug_frame (debug_frame.h).
 */
static void walk_on(struct walk *walk, const struct stack_walk_return *end)
{
	struct call_frame frame = { end->slot, end->pointer };

	if (!frame.slot)
		return;
	do
		walk->moved += return_move(walk->places, frame.slot, *frame.slot, walk->on);
	while (call_frames_next(&frame));
}

unsigned int return_move_frames(const struct return_places *places, bool on)
{
	struct walk walk = { .places = places, .on = on };
	struct stack_walk_return end;

	if (return_shadow_stack())
		return 0;
	stack_walk(move_frame, &walk, &end);
	walk_on(&walk, &end);
	return walk.moved;
}
