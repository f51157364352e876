/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serial stretches of the initial thread: from the end of a parallel region to the begin of the
 * next.
 */
#include <pthread.h>

#include "memsearch/sensor.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/events/serial.h"
#include "ompt_tool/events/serial_code.h"

/*
 * Used by the initial thread only. The region is known at the end of the stretch: it is identified
 * by the regions before and after.
 */
static struct {
	bool open;
	uint64_t construct_before;
	pthread_t thread; /* whose frames are in clones */
	struct frame frame;
} serial;

/* Returns to the originals before the region begins. */
static void leave_code(void)
{
	if (serial.frame.in_clone && !serial_code_leave() && !serial.frame.outside)
		serial.frame.outside = FRAME_LEFT;
	serial.frame.in_clone = 0;
}

void serial_look(const void *codeptr, uint64_t construct)
{
	if (construct && construct != (uint64_t)codeptr && !serial.frame.in_clone)
		serial_code_leave();
}

void serial_left(void)
{
	if (serial.open && pthread_equal(serial.thread, pthread_self()) && !serial.frame.outside)
		serial.frame.outside = FRAME_LEFT;
}

void events_forget_serial(void)
{
	if (serial.frame.in_clone && pthread_equal(serial.thread, pthread_self()))
		serial_code_leave();
	serial.frame.in_clone = 0;
}

/* A task in serial code that encounters a region continues in the original after it, too. */
static void leave_tasks(struct thread *self)
{
	for (uint32_t i = 0; i < self->nr_tasks; i++)
		self->tasks[i].code = TASK_ORIGINAL;
}

void serial_begin(struct thread *self, uint64_t construct_before, uint64_t now_ns)
{
	struct frame *frame = &serial.frame;

	leave_code();
	serial.open = true;
	serial.construct_before = construct_before;
	frame->type = FRAME_SERIAL;
	frame->region = MS_REGION_NONE;
	frame->epoch = events.epoch;
	frame->begin_ns = now_ns;
	frame->executions = 1;
	frame->requests = event_requested()
				  ? region_table_requests(events.regions, MS_SERIAL_REGION,
							  construct_before)
				  : 0;
	frame->in_clone = frame->requests & ACCESSES_BIT && serial_code_enter();
	frame->outside = frame->in_clone ? 0 : FRAME_BEGUN_OUTSIDE;
	serial.thread = pthread_self();
	for (int id = 0; id < MS_SENSORS; id++)
		if ((frame->requests >> id & 1) && sensors[id] && sensors[id]->region_begin)
			sensors[id]->region_begin(self, frame);
}

/*
 * Returns the region and notes its execution; the next region is passed to the source resolution.
 */
static uint32_t region_of(uint32_t next_region, uint64_t next_construct)
{
	bool new;
	uint32_t id = region_table_get(events.regions, MS_SERIAL_REGION, serial.construct_before,
				       next_region, &new);
	struct region *region = region_table_at(events.regions, id);

	if (new && region)
		__atomic_store_n(&region->inside, next_construct, __ATOMIC_RELAXED);
	return id;
}

/* Values of sensors that were requested during the stretch do not cover all of it. */
static void note_late(const struct frame *frame)
{
	struct region *region = region_table_at(events.regions, frame->region);

	if (region && region_requests(region) & ~frame->requests & ACCESSES_BIT)
		__atomic_fetch_add(&region->unrecorded, 1, __ATOMIC_RELAXED);
}

static void drop(struct thread *self, uint32_t which)
{
	for (int id = MS_SENSORS - 1; id >= 0; id--)
		if ((which >> id & 1) && sensors[id] && sensors[id]->region_drop)
			sensors[id]->region_drop(self, &serial.frame);
}

void serial_end(struct thread *self, uint32_t next_region, uint64_t next_construct, uint64_t now_ns)
{
	struct frame *frame = &serial.frame;
	uint32_t requests;

	if (!serial.open)
		return;
	serial.open = false;
	leave_code();
	leave_tasks(self);
	frame->region = next_region == MS_REGION_NONE ? MS_REGION_NONE
						      : region_of(next_region, next_construct);
	note_late(frame);
	requests = frame->epoch == events.epoch ? frame->requests & frame_requests(frame->region)
						: 0;
	drop(self, frame->requests & ~requests);
	if (!requests)
		return;
	if (requests & CLOCK_BIT) {
		summary_add(self->summary, frame->region, MS_METRIC_TIME,
			    (double)(now_ns - frame->begin_ns));
		summary_add(self->summary, frame->region, MS_METRIC_WALL_TIME,
			    (double)(now_ns - frame->begin_ns));
	}
	/* in reverse order, as sensors_end in frame.c */
	for (int id = MS_SENSORS - 1; id >= 0; id--)
		if ((requests >> id & 1) && sensors[id] && sensors[id]->region_end)
			sensors[id]->region_end(self, frame);
}

void events_close_serial(uint64_t now_ns)
{
	struct thread *self = event_initial();

	if (self)
		serial_end(self, MS_REGION_USER, 0, now_ns);
}
