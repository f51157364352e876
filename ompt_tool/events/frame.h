/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_FRAME_H
#define MEMSEARCH_EVENTS_FRAME_H

#include "ompt_tool/events/event.h"

/*
 * The stack of constructs a thread is in. A frame is pushed at the begin event of a construct and
 * popped at its end event. An end event that is never sent (gcc's single) is replaced when an
 * enclosing construct ends or one begins that cannot nest inside. All functions: owner only, in
 * callbacks.
 */

static inline struct frame *frame_top(struct thread *self)
{
	return self->depth ? &self->frames[self->depth - 1] : NULL;
}

/* Innermost implicit task, or NULL in serial code. */
struct frame *frame_team(struct thread *self);
/*
 * The parent of a construct that begins now: the running task, the innermost construct, or region
 * 0.
 */
uint32_t frame_context(struct thread *self);
/*
 * Level for phase detection of a construct that begins now: 0 serial code, 1 in the body of the
 * outermost region, 2 deeper.
 */
int frame_level(struct thread *self);

/*
 * The region of a construct that begins now, below `parent`. On the initial thread its begin may be
 * a phase boundary: then *now_ns is read again. MS_REGION_NONE: dropped.
 */
uint32_t frame_region(struct thread *self, enum ms_region_kind kind, uint64_t construct,
		      uint32_t parent, uint64_t *now_ns);
/* The same without phase detection. */
uint32_t frame_lookup(struct thread *self, enum ms_region_kind kind, uint64_t construct,
		      uint32_t parent);
/*
 * Notifies the phase detection of a construct, reached on `path` (see events.h); returns the time to
 * continue with.
 */
uint64_t frame_phase(struct thread *self, int level, uint32_t region, uint32_t path,
		     uint64_t now_ns);

/* Sensors requested in a region; 0 for MS_REGION_NONE. */
uint32_t frame_requests(uint32_t region);

/*
 * Begins measuring; NULL: nested too deep (counted, and frame_skipped consumes the matching end
 * event).
 */
struct frame *frame_push(struct thread *self, enum frame_type type, uint32_t region,
			 uint32_t requests, uint64_t now_ns);
/* The same in two steps, for frames that must be completed before sensors begin. */
struct frame *frame_open(struct thread *self, enum frame_type type, uint32_t region,
			 uint32_t requests, uint64_t now_ns);
void frame_begin(struct thread *self, struct frame *frame);
/*
 * Pushes a loop for which the runtime has no events, with one chunk per thread: it ends at the next
 * barrier, like constructs without end event. `loop` 0: none.
 */
void frame_push_static_loop(struct thread *self, uint32_t loop, uint64_t now_ns);
/*
 * At a barrier, or with 0 the end of the parallel region: closes a static loop that cannot end
 * there, without values, as it was not executed.
 */
void frame_leave_static_loop(struct thread *self, uint64_t barrier);
/* True: this end event belongs to a construct that got no frame. */
bool frame_skipped(struct thread *self);
/* Adds the time and the sensors' values so far; frame_go_on continues. */
void frame_add(struct thread *self, struct frame *frame, uint64_t now_ns);
/* Ends measuring with frame_add. The frame stays. */
void frame_stop(struct thread *self, struct frame *frame, uint64_t now_ns);
/*
 * Resumes measuring a stopped frame, or begins measuring sensors `which` that were requested
 * meanwhile.
 */
void frame_go_on(struct thread *self, struct frame *frame, uint32_t which, uint64_t now_ns);
/* Stops (if necessary) and pops all frames above `depth`. */
void frame_close(struct thread *self, uint32_t depth, uint64_t now_ns);
/* Index of the innermost frame of that type above the innermost implicit task, + 1; 0: none. */
uint32_t frame_find(struct thread *self, enum frame_type type);

/*
 * Adds a wait that began at `since_ns`, without the tasks executed meanwhile. These may have
 * waited, too: each wait is counted once, at its innermost level, so that recursive tasks do not
 * add it at every level.
 */
void frame_wait(struct thread *self, uint32_t region, uint64_t since_ns, uint64_t tasks_before_ns,
		uint64_t now_ns);

/* pending.c: waits at the end of parallel regions. */
void pending_publish(struct thread *self, const struct frame *frame);
void pending_settle(struct thread *self);
uint64_t pending_fold(struct thread *thread,
		      void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx);

/* task.c: notifies the sensors that the thread continues with another task, see sensor.h. */
void tasks_moved(struct thread *self);
/* Drops tasks of a team that had no end event. */
void tasks_forget(struct thread *self);
/* A task that waits at a taskwait is not executing. */
void task_wait_begin(struct thread *self, uint64_t now_ns);
void task_wait_end(struct thread *self);

#endif
