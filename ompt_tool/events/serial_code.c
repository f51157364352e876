/* SPDX-License-Identifier: Apache-2.0 */
/* Return addresses of the program on the initial thread's stack. */
#include "ompt_tool/events/serial_code.h"

#include <unwind.h>

#include "analysis/base/own_stack.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/code/stack_walk.h"
#include "ompt_tool/events/event_code.h"

/* functions of libraries between those of the program: callers of callbacks, start-up code */
#define FOREIGN 64
/* per phase boundary; when full, further ones are noted at their next call */
#define UNKNOWN 16
/* maximum of frames moved into clones; all are moved back, whatever their depth by then */
#define DEEPEST 512

static struct range {
	uint64_t low, high;
} foreign[FOREIGN];
static uint32_t nr_foreign;
static uint64_t unknown[UNKNOWN];
static uint32_t nr_unknown;

uint32_t serial_code_unknown(uint64_t *out, uint32_t room)
{
	uint32_t nr = nr_unknown < room ? nr_unknown : room;

	for (uint32_t i = 0; i < nr; i++)
		out[i] = unknown[i];
	nr_unknown = 0;
	return nr;
}

static void note_unknown(uint64_t address)
{
	for (uint32_t i = 0; i < nr_unknown; i++)
		if (unknown[i] == address)
			return;
	if (nr_unknown < UNKNOWN)
		unknown[nr_unknown++] = address;
}

/* A return address may lie after the end of a function whose last call does not return. */
static bool is_foreign(uint64_t address)
{
	for (uint32_t i = 0; i < nr_foreign; i++)
		if (address - 1 >= foreign[i].low && address - 1 < foreign[i].high)
			return true;
	return false;
}

void serial_code_foreign(uint64_t low, uint64_t high)
{
	if (nr_foreign < FOREIGN && !is_foreign(high))
		foreign[nr_foreign++] = (struct range){ low, high };
}

struct walk {
	bool on, whole;
	uint32_t frames;
};

/* True: the frame will continue at the intended place. */
static bool move_frame(const struct walk *walk, uintptr_t address, uintptr_t after)
{
	bool moved = switching_return((uintptr_t *)after - 1, address, walk->on);

	return moved || (walk->on && clone_around(address));
}

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *ctx)
{
	struct walk *walk = ctx;
	int interrupted = 0;
	uintptr_t address = _Unwind_GetIPInfo(context, &interrupted),
		  after = _Unwind_GetCFA(context);
	uint64_t code = event_code((const void *)address);

	if (walk->on && ++walk->frames > DEEPEST) {
		walk->whole = false;
		return _URC_END_OF_STACK;
	}
	if (!code || event_code_in_libc(code) || is_foreign(code))
		return _URC_NO_REASON;
	if (interrupted || !after || !move_frame(walk, address, after)) {
		walk->whole = false;
		note_unknown(code);
	}
	return _URC_NO_REASON;
}

static void move_frames(void *walk)
{
	stack_walk(look_at, walk, NULL);
}

static bool move_all(bool on)
{
	struct walk walk = { .on = on, .whole = true };

	own_stack_call(move_frames, &walk);
	return walk.whole;
}

static bool not_allowed;

void serial_code_allow(bool allow)
{
	not_allowed = !allow;
}

bool serial_code_enter(void)
{
	bool whole = !not_allowed && clone_is_current() && move_all(true);

	if (!whole)
		move_all(false);
	return whole;
}

bool serial_code_leave(void)
{
	return move_all(false);
}
