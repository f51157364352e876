/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of constructs a thread is in. */
#include "ompt_tool/events/frame.h"

#include "memsearch/sensor.h"
#include "ompt_tool/events/region_parts.h"
#include "ompt_tool/regions/region_loops.h"

struct frame *frame_team(struct thread *self)
{
	for (uint32_t depth = self->depth; depth; depth--)
		if (self->frames[depth - 1].type == FRAME_PARALLEL)
			return &self->frames[depth - 1];
	return NULL;
}

uint32_t frame_context(struct thread *self)
{
	struct frame *top = frame_top(self);

	if (self->task_running && self->tasks[self->nr_tasks - 1].depth == self->depth)
		return self->tasks[self->nr_tasks - 1].region;
	return top ? top->region : MS_REGION_USER;
}

int frame_level(struct thread *self)
{
	int teams = 0;

	for (uint32_t depth = self->depth; depth; depth--)
		teams += self->frames[depth - 1].type == FRAME_PARALLEL;
	return teams < 2 ? teams : 2;
}

uint32_t frame_requests(uint32_t region)
{
	struct region *entry = region_table_at(events.regions, region);

	return entry ? region_requests(entry) : 0;
}

/*
 * A code address inside the parallel region's body helps to find its source line, see source.h; the
 * first one is kept.
 */
static void note_inside(struct thread *self, uint64_t code)
{
	struct frame *team = frame_team(self);
	struct region *region;
	uint64_t none = 0;

	if (!team || team->has_inside)
		return;
	team->has_inside = 1;
	region = region_table_at(events.regions, team->region);
	if (region && code != region->construct)
		__atomic_compare_exchange_n(&region->inside, &none, code, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
}

uint32_t frame_lookup(struct thread *self, enum ms_region_kind kind, uint64_t construct,
		      uint32_t parent)
{
	bool new;

	if (construct)
		note_inside(self, construct);
	self->event_region = region_table_get(events.regions, kind, construct, parent, &new);
	return self->event_region;
}

uint64_t frame_phase(struct thread *self, int level, uint32_t region, uint32_t path,
		     uint64_t now_ns)
{
	uint64_t boundary_ns = self->boundary_ns;

	if (region == MS_REGION_NONE || !events_enter(0))
		return now_ns;
	events.listener->event(self, level, region, path, now_ns);
	events_leave();
	return self->boundary_ns == boundary_ns ? now_ns : thread_clock_ns();
}

uint32_t frame_region(struct thread *self, enum ms_region_kind kind, uint64_t construct,
		      uint32_t parent, uint64_t *now_ns)
{
	uint32_t region = frame_lookup(self, kind, construct, parent);

	if (self->index == 0) {
		int level = frame_level(self);

		events.serial_constructs |= !level;
		if (level < 2)
			*now_ns = frame_phase(self, level, region, 0, *now_ns);
	}
	return region;
}

static void sensors_begin(struct thread *self, struct frame *frame, uint32_t which)
{
	for (uint32_t rest = which & ~CLOCK_BIT; rest; rest &= rest - 1) {
		const struct sensor *sensor = sensors[__builtin_ctz(rest)];

		if (sensor && sensor->region_begin)
			sensor->region_begin(self, frame);
	}
}

/*
 * In reverse order: counters begin last and end first, so that they do not count the other sensors'
 * work.
 */
static void sensors_end(struct thread *self, struct frame *frame)
{
	uint32_t rest = frame->requests & ~CLOCK_BIT;

	while (rest) {
		int id = 31 - __builtin_clz(rest);
		const struct sensor *sensor = sensors[id];

		rest ^= 1u << id;
		if (sensor && sensor->region_end)
			sensor->region_end(self, frame);
	}
}

/* Implicit tasks have a body of their own, see begin_implicit. */
static bool is_outside(struct thread *self, uint32_t requests)
{
	const struct frame *team = requests & ~CLOCK_BIT ? frame_team(self) : NULL;

	return !team || team->in_clone != FRAME_IN_CLONE;
}

struct frame *frame_open(struct thread *self, enum frame_type type, uint32_t region,
			 uint32_t requests, uint64_t now_ns)
{
	struct frame *frame;

	self->closed_region = MS_REGION_NONE;
	self->event_region = region;
	parts_follow(self, now_ns);
	if (self->depth == THREAD_FRAMES) {
		self->skipped++;
		thread_drop(self, THREAD_DROP_FRAMES);
		return NULL;
	}
	frame = &self->frames[self->depth];
	frame->region = region;
	frame->epoch = __atomic_load_n(&events.epoch, __ATOMIC_RELAXED);
	frame->requests = requests;
	frame->type = type;
	frame->stopped = 0;
	frame->other = 0;
	frame->has_inside = 0;
	frame->parted = 0;
	frame->in_parts = 0;
	frame->in_clone = 0;
	frame->executions = 1;
	frame->outside = is_outside(self, requests) ? FRAME_BEGUN_OUTSIDE : 0;
	frame->chunks = 0;
	frame->begin_ns = now_ns;
	frame->tasks_ns = self->tasks_ns;
	/*
	 * a sampling sensor may read it from a signal handler or another thread: the frame is
	 * complete before the depth includes it
	 */
	__atomic_store_n(&self->depth, self->depth + 1, __ATOMIC_RELEASE);
	return frame;
}

void frame_begin(struct thread *self, struct frame *frame)
{
	if (frame->requests & ~CLOCK_BIT)
		sensors_begin(self, frame, frame->requests);
}

struct frame *frame_push(struct thread *self, enum frame_type type, uint32_t region,
			 uint32_t requests, uint64_t now_ns)
{
	struct frame *frame = frame_open(self, type, region, requests, now_ns);

	if (frame)
		frame_begin(self, frame);
	return frame;
}

void frame_push_static_loop(struct thread *self, uint32_t loop, uint64_t now_ns)
{
	uint32_t requests = loop ? frame_requests(loop) : 0;
	struct frame *frame = loop ? frame_push(self, FRAME_WORK, loop, requests,
						now_ns ? now_ns : event_now())
				   : NULL;

	if (loop && !frame)
		frame_skipped(self); /* no end event will be sent for it */
	else if (requests & CLOCK_BIT)
		frame->chunks = 1;
}

void frame_go_on(struct thread *self, struct frame *frame, uint32_t which, uint64_t now_ns)
{
	frame->stopped = 0;
	if (which & CLOCK_BIT)
		frame->begin_ns = now_ns;
	sensors_begin(self, frame, which);
}

bool frame_skipped(struct thread *self)
{
	if (!self->skipped)
		return false;
	self->skipped--;
	return true;
}

void frame_wait(struct thread *self, uint32_t region, uint64_t since_ns, uint64_t tasks_before_ns,
		uint64_t now_ns)
{
	uint64_t tasks_ns = self->tasks_ns - tasks_before_ns;
	uint64_t elapsed_ns = now_ns > since_ns ? now_ns - since_ns : 0;
	uint64_t wait_ns = elapsed_ns > tasks_ns ? elapsed_ns - tasks_ns : 0;

	summary_add(self->summary, region, MS_METRIC_BARRIER_WAIT, (double)wait_ns);
	if (frame_level(self) == 1)
		self->waits_ns += wait_ns;
	if (!self->task_running) /* otherwise the time is part of the task's */
		__atomic_store_n(&self->tasks_ns, self->tasks_ns + wait_ns, __ATOMIC_RELAXED);
}

static void add_chunks(struct thread *self, const struct frame *frame)
{
	summary_add(self->summary, frame->region, MS_METRIC_CHUNKS, frame->chunks);
	event_cost_add_chunks(self, frame->region, frame->chunks);
}

static void add_time(struct thread *self, const struct frame *frame, uint64_t now_ns)
{
	if (frame->type == FRAME_BARRIER || frame->type == FRAME_TASKWAIT)
		frame_wait(self, frame->region, frame->begin_ns, frame->tasks_ns, now_ns);
	else if (!frame->other)
		summary_add(self->summary, frame->region, MS_METRIC_TIME,
			    (double)(now_ns - frame->begin_ns));
	if (frame->chunks)
		add_chunks(self, frame);
}

void frame_add(struct thread *self, struct frame *frame, uint64_t now_ns)
{
	if (frame->requests & CLOCK_BIT)
		add_time(self, frame, now_ns ? now_ns : thread_clock_ns());
	if (frame->requests & ~CLOCK_BIT)
		sensors_end(self, frame);
}

void frame_stop(struct thread *self, struct frame *frame, uint64_t now_ns)
{
	if (frame->stopped)
		return;
	frame->stopped = 1;
	if (frame->requests && frame->epoch == __atomic_load_n(&events.epoch, __ATOMIC_RELAXED))
		frame_add(self, frame, now_ns);
	if (frame->in_parts)
		summary_end_parts(self->summary, frame->region, true);
	frame->in_parts = 0;
}

void frame_close(struct thread *self, uint32_t depth, uint64_t now_ns)
{
	while (self->depth > depth) {
		struct frame *top = frame_top(self);

		frame_stop(self, top, now_ns);
		self->event_region = top->region;
		self->closed_region = top->type == FRAME_WORK ? top->region : MS_REGION_NONE;
		__atomic_store_n(&self->depth, self->depth - 1, __ATOMIC_RELEASE);
	}
}

/*
 * Sensors that keep their state of a construct in its frame. The others are notified of the end
 * only, which costs almost nothing.
 */
#define KEPT_IN_FRAMES (CLOCK_BIT | 1u << MS_SENSOR_COUNTERS | 1u << MS_SENSOR_RUSAGE)

void frame_leave_static_loop(struct thread *self, uint64_t barrier)
{
	struct frame *top = frame_top(self);

	if (!top || top->type != FRAME_WORK ||
	    !region_static_loop(region_table_at(events.regions, top->region)) ||
	    region_loop_may_end(events.regions, top->region, barrier))
		return;
	top->requests &= ~KEPT_IN_FRAMES;
	frame_close(self, self->depth - 1, 0);
	self->closed_region = MS_REGION_NONE;
}

uint32_t frame_find(struct thread *self, enum frame_type type)
{
	for (uint32_t depth = self->depth; depth; depth--) {
		if (self->frames[depth - 1].type == type)
			return depth;
		if (self->frames[depth - 1].type == FRAME_PARALLEL)
			return 0;
	}
	return 0;
}
