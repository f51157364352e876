/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_EVENT_COST_H
#define MEMSEARCH_EVENTS_EVENT_COST_H

#include <stdint.h>

#include "ompt_tool/process/thread.h"

/* Estimates the cost of callbacks, for the overhead limit. */

/*
 * One callback in 16 on average is timed, at random intervals, so that periodic programs are
 * sampled evenly. It stands for the other callbacks, except for work that is always timed:
 * boundaries, and recording, which is expensive in few of them.
 */
#define COST_PERIOD 16

/*
 * A handler stores the region of its event in self->event_region; MS_REGION_USER: none. The event's cost
 * is added to tool_time of that region while times of the region are requested.
 */

struct event_cost {
	uint64_t begin_ns, boundary_ns, timed_ns;
};

void event_cost_init(void);
uint64_t event_cost_draw(struct thread *self);
void event_cost_add(struct thread *self, const struct event_cost *cost);
/* Random distance of such callbacks, from 1 on. */
uint32_t event_cost_distance(struct thread *self);
/*
 * The events of an acquisition that is not measured end in the gate: three or four of these take about
 * as long as reading the clock.
 */
void event_cost_add_skipped(struct thread *self);
/* `nr` of these were about `region`, as it turns out later. */
void event_cost_attribute_skipped(struct thread *self, uint32_t region, uint32_t nr);
/* What reading the clock takes, as measured at the start. */
uint64_t event_cost_clock_ns(void);
/*
 * Chunks are too frequent to time one in 16: each counts with the cost of handle_dispatch outside
 * of loops, measured once on the first thread.
 */
void event_cost_init_chunks(void);
void event_cost_add_chunks(struct thread *self, uint32_t region, uint32_t chunks);

static inline void event_begin(struct thread *self, struct event_cost *cost)
{
	cost->begin_ns = 0;
	if (--self->cost_countdown == 0) {
		self->event_region = MS_REGION_USER;
		cost->begin_ns = event_cost_draw(self);
		cost->boundary_ns = self->boundary_ns;
		cost->timed_ns = self->timed_ns;
	}
}

static inline void event_end(struct thread *self, const struct event_cost *cost)
{
	if (cost->begin_ns)
		event_cost_add(self, cost);
}

#endif
