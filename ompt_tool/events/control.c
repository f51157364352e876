/* SPDX-License-Identifier: Apache-2.0 */
/* omp_control_tool: phase marks, start, pause and end of measuring. */
#include "ompt_tool/events/event.h"
#include "ompt_tool/online.h"

int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *codeptr)
{
	struct thread *self = event_self();
	struct event_cost cost;

	(void)argument, (void)codeptr;
	if (!self)
		return 0;
	event_begin(self, &cost);
	if (events_enter(0)) {
		online_control(self, command, modifier, thread_clock_ns());
		events_leave();
	}
	event_end(self, &cost);
	return 0;
}
