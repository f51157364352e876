/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the current region's body on the stack. */
#include "ompt_tool/events/body.h"

#include <stddef.h>
#include <unwind.h>

#include "ompt_tool/code/stack_walk.h"
#include "ompt_tool/events/event_code.h"

struct walk {
	uint64_t outermost; /* outermost return address in the program so far */
	bool called;        /* its function was called by the runtime */
};

/*
 * From the inside: memsearch, the runtime, the program's functions down to the body, the runtime
 * that called it.
 */
static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *ctx)
{
	struct walk *walk = ctx;
	uint64_t code = event_code((const void *)_Unwind_GetIP(context));

	walk->called = !code && walk->outermost;
	if (code)
		walk->outermost = code;
	return walk->called ? _URC_END_OF_STACK : _URC_NO_REASON;
}

uint64_t body_around(void)
{
	struct walk walk = { 0 };

	stack_walk(look_at, &walk, NULL);
	return walk.called ? walk.outermost : 0;
}
