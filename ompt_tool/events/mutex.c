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

void handle_mutex_acquire(struct thread *self, ompt_mutex_t kind, const void *codeptr)
{
	int region_kind = kind_of(kind);
	uint32_t region;

	if (region_kind < 0)
		return;
	region = frame_lookup(self, region_kind, event_code(codeptr), frame_context(self));
	self->mutex_region = MS_REGION_NONE;
	if (frame_requests(region) & CLOCK_BIT) {
		self->mutex_region = region;
		self->mutex_begin_ns = thread_clock_ns();
	}
}

/* Nothing lies between a thread's acquire and its acquired, so one pair of fields is enough. */
void handle_mutex_acquired(struct thread *self)
{
	if (self->mutex_region == MS_REGION_NONE)
		return;
	summary_add(self->summary, self->mutex_region, MS_METRIC_LOCK_WAIT, (double)(thread_clock_ns() - self->mutex_begin_ns));
	self->mutex_region = MS_REGION_NONE;
}
