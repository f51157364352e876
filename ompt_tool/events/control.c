/* SPDX-License-Identifier: Apache-2.0 */
/* omp_control_tool: phase marks, start, pause and end of measuring. */
#include "analysis/base/own_stack.h"
#include "ompt_tool/events/region_parts.h"

struct control {
	struct thread *self;
	uint64_t command, modifier;
};

static void obey(void *argument)
{
	const struct control *control = argument;

	events.listener->control(control->self, control->command, control->modifier,
				 thread_clock_ns());
	parts_follow(control->self, 0);
}

void handle_control_tool(struct thread *self, uint64_t command, uint64_t modifier)
{
	struct control control = { self, command, modifier };

	if (!events_enter(0))
		return;
	own_stack_call(obey, &control);
	events_leave();
}
