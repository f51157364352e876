/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel region that holds the whole time loop ends once, so it is handed over in parts, one
 * an execution of the phase, and follows the requests meanwhile.
 *
 *     initial thread   ──┬─part──┤boundary├──part──┤boundary├─ …   stops before the fold, goes on behind it
 *     others           ──┴──part────┬──────part──────┬──────── …   when they next begin a construct
 *
 * Only the owner can read its sensors, so the others are behind by up to one construct:
 * each value is counted once, and over many executions the sums are right.
 */
#include "ompt_tool/events/frame.h"

/* The outermost parallel region, if it is still measured, and directly below region 0. */
static struct frame *open_region(struct thread *self)
{
	struct frame *frame = self->depth ? &self->frames[0] : NULL;
	struct region *region = frame && frame->type == FRAME_PARALLEL ? region_table_at(events.regions, frame->region) : NULL;

	if (!region || region->parent != MS_REGION_USER || (frame->stopped && !frame->parted))
		return NULL;
	return frame->epoch == __atomic_load_n(&events.epoch, __ATOMIC_RELAXED) ? frame : NULL;
}

static void hand_over(struct thread *self, struct frame *frame, bool keep)
{
	uint64_t now_ns = thread_clock_ns();

	if (frame->parted)
		return;
	frame->parted = 1;
	if (keep && (frame->requests & CLOCK_BIT) && frame->team_index == 0)
		summary_add(self->summary, frame->region, MS_METRIC_WALL_TIME, (double)(now_ns - frame->parallel->part_ns));
	if (keep)
		frame_stop(self, frame, now_ns);
	frame->stopped = 1;
}

static void go_on(struct thread *self, struct frame *frame)
{
	uint32_t before = frame->parted ? 0 : frame->requests;
	uint64_t now_ns = thread_clock_ns();

	frame->parted = 0;
	frame->requests = frame_requests(frame->region);
	frame_go_on(self, frame, frame->requests & ~before, now_ns);
	if (frame->team_index == 0 && (frame->requests & ~before & CLOCK_BIT))
		frame->parallel->part_ns = now_ns;
}

void parts_turn(struct thread *self)
{
	uint32_t turn = __atomic_load_n(&events.turn, __ATOMIC_ACQUIRE);
	uint32_t parts = __atomic_load_n(&events.parts, __ATOMIC_RELAXED);
	bool keep = (int32_t)(self->parts - __atomic_load_n(&events.forgotten, __ATOMIC_RELAXED)) >= 0;
	struct frame *frame = open_region(self);

	if (frame && self->parts != parts)
		hand_over(self, frame, keep);
	self->turn = turn;
	self->parts = parts;
	if (frame)
		go_on(self, frame);
}

bool events_part(bool keep)
{
	struct thread *self = event_initial();
	struct frame *frame = self ? open_region(self) : NULL;
	uint32_t parts = __atomic_load_n(&events.parts, __ATOMIC_RELAXED) + 1;

	if (!frame)
		return false;
	hand_over(self, frame, keep);
	self->parts = parts;
	if (!keep)
		__atomic_store_n(&events.forgotten, parts, __ATOMIC_RELAXED);
	__atomic_store_n(&events.parts, parts, __ATOMIC_RELEASE);
	__atomic_fetch_add(&events.turn, 1, __ATOMIC_RELEASE);
	return true;
}
