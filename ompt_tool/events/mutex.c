/* SPDX-License-Identifier: Apache-2.0 */
/* mutex_acquire and mutex_acquired: waiting for critical, ordered and locks. */
#include "ompt_tool/events/frame.h"

static int kind_of(ompt_mutex_t kind)
{
	switch (kind) {
	case ompt_mutex_critical:
		return MS_CRITICAL_REGION;
	case ompt_mutex_ordered:
		return MS_ORDERED_REGION;
	case ompt_mutex_lock:
	case ompt_mutex_nest_lock:
		return MS_LOCK_REGION;
	default:                         /* test_lock does not wait; atomic is the runtime's own */
		return -1;
	}
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int implementation, ompt_wait_id_t wait,
		      const void *codeptr)
{
	struct thread *self = event_self();
	int region_kind = kind_of(kind);
	struct event_cost cost;
	uint32_t region;

	(void)hint, (void)implementation, (void)wait;
	if (!self || region_kind < 0 || !event_requested())
		return;
	event_begin(self, &cost);
	region = frame_lookup(self, region_kind, event_code(codeptr), frame_context(self));
	self->mutex_region = MS_REGION_NONE;
	if (frame_requests(region) & CLOCK_BIT) {
		self->mutex_region = region;
		self->mutex_begin_ns = thread_clock_ns();
	}
	event_end(self, &cost);
}

/* Nothing lies between a thread's acquire and its acquired, so one pair of fields is enough. */
void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *codeptr)
{
	struct thread *self = event_self();
	struct event_cost cost;

	(void)kind, (void)wait, (void)codeptr;
	if (!self || self->mutex_region == MS_REGION_NONE)
		return;
	event_begin(self, &cost);
	summary_add(self->summary, self->mutex_region, MS_METRIC_LOCK_WAIT, (double)(thread_clock_ns() - self->mutex_begin_ns));
	self->mutex_region = MS_REGION_NONE;
	event_end(self, &cost);
}
