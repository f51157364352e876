/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_REGION_PARTS_H
#define MEMSEARCH_EVENTS_REGION_PARTS_H

#include "ompt_tool/events/event.h"

/*
 * Parts of a parallel region, for values before its end: a thread inside applies new parts and
 * changed requests, and begins a part by itself after PART_NS, so that few values are late at a
 * boundary and ring buffers do not overflow. `now_ns` 0: unknown. Owner only, in callbacks.
 */
#define PART_NS 1000000u
void parts_turn(struct thread *self);
/* The accesses of the part of the outermost region that the thread is in are not all recorded. */
void parts_incomplete(const struct thread *self, const struct frame *frame);
void parts_between(struct thread *self, uint64_t now_ns);
static inline void parts_follow(struct thread *self, uint64_t now_ns)
{
	if (__builtin_expect(self->turn != __atomic_load_n(&events.turn, __ATOMIC_ACQUIRE), 0))
		parts_turn(self);
	else if (__builtin_expect(now_ns > self->part_ns + PART_NS, 0) && self->depth)
		parts_between(self, now_ns);
}

/*
 * Call before a region is stopped finally: dropped values must not be in its last part. Returns the
 * time to stop at: the last part may begin only now, after `now_ns`.
 */
static inline uint64_t parts_catch_up(struct thread *self, uint64_t now_ns)
{
	if (__builtin_expect(self->parts == __atomic_load_n(&events.parts, __ATOMIC_ACQUIRE), 1))
		return now_ns;
	parts_turn(self);
	return thread_clock_ns();
}

#endif
