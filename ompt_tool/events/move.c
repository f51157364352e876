/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are in a region's body already when its recording begins: calls cannot be redirected
 * for them.
 *
 *     body     ──call──┐                          ┌──────call──┐
 *     runtime          └─event: move in─┐  ┌─event┘            └─event: move out─┐
 *     clone                             └──┘  …                                  └─ (continues in
 *                                                                                the body)
 *
 * Each thread moves itself, where the task's frame leads to the very return address that the event
 * reports, or to one in the body where the event reports none; else it stays where it is, and tries
 * again at its next event. Only calls in the body itself count; callees follow the body.
 */
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/events/frame.h"

/* ompt_get_task_info: there is a task, and all is known of it */
#define TASK_KNOWN 2

/* Return address of the call into the runtime that an implicit task is in; NULL: not known. */
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

/* A thread is in a call into one runtime at most: another that it knows has called it. */
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
	for (struct frame *frame = team; frame < self->frames + self->depth; frame++)
		frame->outside = FRAME_LEFT;
}

void events_left_clones(void)
{
	struct thread *self = events_self();

	if (!self)
		return;
	leave(self, self->frames);
	for (uint32_t i = 0; i < self->nr_tasks; i++)
		self->tasks[i].code = TASK_ORIGINAL;
	serial_left();
}

/* Whether the call comes from the region's body, and not from a function that the body called. */
static bool is_from_body(const struct region *region, uintptr_t code)
{
	const struct clone *clone = clone_around(code);

	if (!clone)
		clone = clone_around(clone_after_call(code));
	return clone && region_has_body(region, clone->start);
}

/*
 * GOMP_loop_end and GOMP_sections_end tell the frame, but not the address (libomp to 19: NULL). The
 * frame is set for the call and cleared behind it, so what it leads to is the call's own, if it is
 * in the body at all.
 */
static bool move(struct thread *self, struct frame *team, const struct region *region,
		 uintptr_t code, bool in)
{
	uintptr_t *slot = !code || is_from_body(region, code) ? slot_of_call() : NULL;

	if (!slot || (!code && !is_from_body(region, *slot)) ||
	    !switching_return(slot, code ? code : *slot, in))
		return false;
	team->in_clone = in;
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

/* A newer choice may be under way, and has the region, too. */
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

	if (!region)
		return;
	if (is_chosen(region, choice) != team->in_clone &&
	    (in == team->in_clone || !move(self, team, region, (uintptr_t)codeptr, in)))
		return;
	if (frame_level(self) < 2)
		self->choice = choice;
}
