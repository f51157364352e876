/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel region that contains the whole time loop ends once, so its values are summarised in
 * parts, one per group of executions of the phase, and requests are applied meanwhile.
 *
 *     initial thread   ──┬───part─────┤boundary├────part────┤boundary├─ …   stops before the fold,
 *                                                                           continues after it
 *     others           ──┴─┬─┬─┬─┬─part──┬─┬─┬─┬─┬─┬─part──┬─ …             when they next begin a
 *                                                                           construct
 *
 * Only the owner can read its sensors, so the other threads come after the fold, and the next fold
 * finds their parts. Groups may differ much in length; so each thread also adds a piece between
 * boundaries, at a construct that it begins PART_NS after the last one (─┬─). At most that time, or
 * one construct, is counted in the wrong group. Pieces are added without being counted as values.
 */
#include "memsearch/sensor.h"
#include "ompt_tool/events/fold.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/events/region_parts.h"

/* The outermost parallel region, if it is still measured, and directly below region 0. */
static struct frame *open_region(struct thread *self)
{
	struct frame *frame = self->depth ? &self->frames[0] : NULL;
	struct region *region = frame && frame->type == FRAME_PARALLEL
					? region_table_at(events.regions, frame->region)
					: NULL;

	if (!region || region->parent != MS_REGION_USER || (frame->stopped && !frame->parted))
		return NULL;
	return frame->epoch == __atomic_load_n(&events.epoch, __ATOMIC_RELAXED) ? frame : NULL;
}

static void add_wall(struct thread *self, const struct frame *frame, uint64_t now_ns)
{
	if (!(frame->requests & CLOCK_BIT) || frame->team_index)
		return;
	/* 0: the clock was not requested yet when the region began */
	if (frame->parallel->part_ns)
		summary_add(self->summary, frame->region, MS_METRIC_WALL_TIME,
			    (double)(now_ns - frame->parallel->part_ns));
	frame->parallel->part_ns = now_ns;
}

/* Drops the values since the last part, and the pieces before it. */
static void forget(struct thread *self, struct frame *frame)
{
	if (frame->in_parts)
		summary_end_parts(self->summary, frame->region, false);
	frame->in_parts = 0;
	frame->stopped = 1;
}

static void hand_over(struct thread *self, struct frame *frame, bool keep)
{
	uint64_t now_ns = thread_clock_ns();

	if (frame->parted)
		return;
	frame->parted = 1;
	if (!keep) {
		forget(self, frame);
		return;
	}
	add_wall(self, frame, now_ns);
	frame->executions = __atomic_load_n(&events.part_executions, __ATOMIC_RELAXED);
	frame_stop(self, frame, now_ns);
}

void parts_between(struct thread *self, uint64_t now_ns)
{
	struct frame *frame = open_region(self);

	self->part_ns = now_ns;
	if (!frame || frame->parted || !frame->requests)
		return;
	summary_parts(self->summary, frame->region);
	add_wall(self, frame, now_ns);
	frame->executions = 0;
	frame_add(self, frame, now_ns);
	frame->executions = 1;
	summary_parts(self->summary, MS_REGION_NONE);
	frame->in_parts = 1;
	frame_go_on(self, frame, frame->requests, now_ns);
}

void parts_incomplete(const struct thread *self, const struct frame *frame)
{
	if (self->index && frame->type == FRAME_PARALLEL && (frame->requests & CLONES_BITS))
		__atomic_fetch_add(&events.incomplete_parts, 1, __ATOMIC_RELAXED);
}

uint32_t events_incomplete_parts(void)
{
	return __atomic_load_n(&events.incomplete_parts, __ATOMIC_RELAXED);
}

static void go_on(struct thread *self, struct frame *frame)
{
	uint32_t before = frame->parted ? 0 : frame->requests, begun;
	uint64_t now_ns = thread_clock_ns();

	if (frame->parted)
		self->part_ns = now_ns;
	frame->parted = 0;
	frame->executions = 1;
	frame->requests = frame_requests(frame->region);
	begun = frame->requests & ~before;
	if (begun & CLONES_BITS)
		frame->outside = frame->in_clone == FRAME_IN_CLONE ? 0 : FRAME_BEGUN_OUTSIDE;
	if (frame->outside)
		parts_incomplete(self, frame);
	frame_go_on(self, frame, begun, now_ns);
	if (frame->team_index == 0 && (begun & CLOCK_BIT))
		frame->parallel->part_ns = now_ns;
}

static void sensors_follow(struct thread *self)
{
	for (int id = 0; id < MS_SENSORS; id++)
		if (sensors[id] && sensors[id]->follow)
			sensors[id]->follow(self);
}

void parts_turn(struct thread *self)
{
	uint32_t turn = __atomic_load_n(&events.turn, __ATOMIC_ACQUIRE);
	uint32_t parts = __atomic_load_n(&events.parts, __ATOMIC_RELAXED);
	bool keep = (int32_t)(self->parts - __atomic_load_n(&events.forgotten, __ATOMIC_RELAXED)) >=
		    0;
	struct frame *frame = open_region(self);

	if (frame && self->parts != parts)
		hand_over(self, frame, keep);
	sensors_follow(self);
	self->turn = turn;
	self->parts = parts;
	if (frame)
		go_on(self, frame);
}

bool events_part(bool keep, uint32_t executions)
{
	struct thread *self = event_initial();
	struct frame *frame = self ? open_region(self) : NULL;
	uint32_t parts = __atomic_load_n(&events.parts, __ATOMIC_RELAXED) + 1;

	if (!frame)
		return false;
	__atomic_store_n(&events.part_executions, executions, __ATOMIC_RELAXED);
	hand_over(self, frame, keep);
	self->parts = parts;
	if (!keep)
		__atomic_store_n(&events.forgotten, parts, __ATOMIC_RELAXED);
	__atomic_store_n(&events.parts, parts, __ATOMIC_RELEASE);
	__atomic_fetch_add(&events.turn, 1, __ATOMIC_RELEASE);
	return true;
}
