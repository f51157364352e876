/* SPDX-License-Identifier: Apache-2.0 */
/* omp_control_tool: phase marks, start, pause and end of measuring. */
#include "ompt_tool/events/frame.h"
#include "ompt_tool/online.h"

void handle_control_tool(struct thread *self, uint64_t command, uint64_t modifier)
{
	if (!events_enter(0))
		return;
	online_control(self, command, modifier, thread_clock_ns());
	parts_follow(self, 0);
	events_leave();
}
