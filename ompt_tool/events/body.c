/* SPDX-License-Identifier: Apache-2.0 */
/* The body of the region under way, found on the stack. */
#include "ompt_tool/events/body.h"

#include <unwind.h>

#include "ompt_tool/events/event.h"

struct walk {
	uint64_t outermost; /* of the program's return addresses so far */
	bool called;        /* and it was the runtime that called that function */
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

	_Unwind_Backtrace(look_at, &walk);
	return walk.called ? walk.outermost : 0;
}
