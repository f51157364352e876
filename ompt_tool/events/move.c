/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are already in a region's body when its recording begins: their calls cannot be
 * redirected.
 *
 *     body     ──call──┐                          ┌──────call──┐
 *     runtime          └─event: move in─┐  ┌─event┘            └─event: move out─┐
 *     clone                             └──┘  …                                  └─ (the body)
 *
 * Each thread moves itself if the task's frame leads to the return address that the event reports,
 * or to one in the body if the event reports none; otherwise it tries again at its next event. In a
 * call from a callee of the body all frames from there to the body move, or none does.
 */
#include "memsearch/sensor.h"
#include "ompt_tool/clones/call_frames.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/events/event_code.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/events/move.h"
#include "ompt_tool/events/region_parts.h"
#include "ompt_tool/events/serial.h"

/* ompt_get_task_info: there is a task, and all its information is available */
#define TASK_KNOWN 2

/*
 * Address of the return address of the call into the runtime that an implicit task is in; NULL:
 * unknown.
 */
static uintptr_t *slot_of_call_into(const struct event_runtime *runtime)
{
	ompt_data_t *task, *parallel;
	ompt_frame_t *frame;
	int flags, thread;

	if (!runtime->get_task_info ||
	    runtime->get_task_info(0, &flags, &task, &frame, &parallel, &thread) != TASK_KNOWN)
		return NULL;
	if (!(flags & ompt_task_implicit) || !frame || !frame->enter_frame.ptr)
		return NULL;
	return (uintptr_t *)frame->enter_frame.ptr + 1;
}

/*
 * A thread is in a call into at most one runtime: a further runtime that knows it has called that
 * one.
 */
static uintptr_t *slot_of_call(void)
{
	uintptr_t *slot = NULL;

	for (int i = 0; i < EVENT_RUNTIMES && !slot; i++)
		slot = slot_of_call_into(&events.runtimes[i]);
	return slot;
}

/* Frames from the team's frame inwards continue in the original, so their values are dropped. */
static void leave(struct thread *self, struct frame *team)
{
	if (self->depth)
		parts_incomplete(self, self->frames);
	for (struct frame *frame = team; frame < self->frames + self->depth; frame++)
		frame->outside = FRAME_LEFT;
}

void events_left_clones(void)
{
	struct thread *self = events_self();

	if (!self)
		return;
	leave(self, self->frames);
	for (uint32_t i = 0; i < self->depth; i++)
		if (self->frames[i].in_clone)
			self->frames[i].in_clone = FRAME_PARTLY_IN_CLONE;
	for (uint32_t i = 0; i < self->nr_tasks; i++)
		self->tasks[i].code = TASK_ORIGINAL;
	serial_left();
}

/* Whether the call comes from the region's body, not from a callee. */
static bool is_from_body(const struct region *region, uintptr_t code)
{
	const struct clone *clone = clone_around(code);

	if (!clone)
		clone = clone_around(clone_after_call(code));
	return clone && region_has_body(region, clone->start);
}

/* Deeper calls of the runtime are not moved. */
enum { CALLS_MAX = 32 };

/*
 * From the call into the runtime outwards to the body's own call. Returns their number; 0: it is not
 * known to be in the body.
 */
static unsigned int calls_from_body(const struct region *region, struct call_frame *calls)
{
	unsigned int nr = 1;

	while (!is_from_body(region, *calls[nr - 1].slot)) {
		if (nr == CALLS_MAX)
			return 0;
		calls[nr] = calls[nr - 1];
		if (!call_frames_next(&calls[nr]))
			return 0;
		nr++;
	}
	return nr;
}

/* Where the call returns to after the move; 0: nowhere. */
static uintptr_t destination(const struct call_frame *call, bool in)
{
	uintptr_t original = clone_original(*call->slot);

	return in ? clone_after_call(original) : original;
}

/* Of a thread that has left its clone some calls return to it, and others do not. */
static bool is_there(const struct call_frame *call, const struct frame *team, bool in)
{
	return (in || team->in_clone == FRAME_PARTLY_IN_CLONE) &&
	       *call->slot == destination(call, in);
}

/*
 * At GOMP_loop_end and GOMP_sections_end the frame is known, but not the address (libomp to 19:
 * NULL). The frame is set for the call and cleared after it, so it leads to the call's own return
 * address. The word below that is the caller's frame pointer, as in each function that takes its
 * own frame's address.
 */
static bool move(struct thread *self, struct frame *team, const struct region *region,
		 uintptr_t code, bool in)
{
	uintptr_t *slot = slot_of_call();
	struct call_frame calls[CALLS_MAX];
	unsigned int nr, moved = 0;

	if (!slot || (uintptr_t)slot % sizeof(*slot) || (code && *slot != code))
		return false;
	calls[0] = (struct call_frame){ slot, slot[-1] };
	nr = calls_from_body(region, calls);
	for (unsigned int i = 0; i < nr; i++)
		if (!destination(&calls[i], in))
			return false;
	for (unsigned int i = 0; i < nr; i++)
		moved += is_there(&calls[i], team, in) ||
			 switching_return(calls[i].slot, *calls[i].slot, in);
	if (in ? !nr || moved < nr : !moved)
		return false;
	team->in_clone = in ? FRAME_IN_CLONE : FRAME_IN_ORIGINAL;
	if (!in)
		leave(self, team);
	return true;
}

void move_back(struct thread *self, const void *codeptr)
{
	struct frame *team = clone_is_paused() ? frame_team(self) : NULL;
	const struct region *region = team && team->in_clone
					      ? region_table_at(events.regions, team->region)
					      : NULL;

	if (region)
		move(self, team, region, (uintptr_t)codeptr, false);
}

/* A newer selection may be in progress and include the region, too. */
static bool is_chosen(const struct region *region, uint32_t choice)
{
	uint32_t recorded = __atomic_load_n(&region->recorded, __ATOMIC_RELAXED);

	return recorded && (int32_t)(recorded - choice) >= 0;
}

/* Only the innermost region is checked, so with nested regions the check never ends. */
void move_look(struct thread *self, const void *codeptr, bool in)
{
	uint32_t choice = __atomic_load_n(&events.choices, __ATOMIC_ACQUIRE);
	struct frame *team = frame_team(self);
	struct region *region = team ? region_table_at(events.regions, team->region) : NULL;
	bool chosen;

	if (!region)
		return;
	chosen = is_chosen(region, choice);
	if (team->in_clone != (chosen ? FRAME_IN_CLONE : FRAME_IN_ORIGINAL) &&
	    (in != chosen || !move(self, team, region, (uintptr_t)codeptr, in)))
		return;
	if (frame_level(self) < 2)
		self->choice = choice;
}

/*
 * The thread's team, if it is in a clone, or may move into the one that it has left, also in a later
 * part of the region (region_parts.c); not if it had to leave it before a call.
 */
static struct frame *team_with_clone(struct thread *self)
{
	struct frame *team = self->depth == 1 ? &self->frames[0] : NULL;

	return team && team->type == FRAME_PARALLEL && !team->stopped &&
			       team->outside != FRAME_LEFT && team->parallel &&
			       team->parallel->recorded
		       ? team
		       : NULL;
}

void move_due(struct thread *self, const void *codeptr)
{
	struct frame *team = team_with_clone(self);
	const struct region *region;
	uint32_t rest;

	if (!team || !(team->requests & ~CLOCK_BIT))
		return;
	parts_follow(self, 0); /* what is recorded from now on belongs to the new part */
	rest = team->requests & ~CLOCK_BIT;
	for (; rest; rest &= rest - 1) {
		const struct sensor *sensor = sensors[__builtin_ctz(rest)];

		if (!sensor || !sensor->due || !sensor->due(self, event_code(codeptr)))
			continue;
		region = region_table_at(events.regions, team->region);
		if (!region || team->in_clone ||
		    !move(self, team, region, (uintptr_t)codeptr, true))
			return;
		team->outside = 0;
		sensor->resumed(self);
		return;
	}
}
