/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_MOVE_H
#define MEMSEARCH_EVENTS_MOVE_H

#include "ompt_tool/events/event.h"

/*
 * A thread in a region's body moves itself into the body's clone, or back, while it is in the
 * runtime. move_in before a construct's frame is pushed, so that the construct is recorded;
 * move_out after it is pushed, so that the code before it is still recorded. `codeptr`: as reported
 * by the runtime. Owner only, in callbacks.
 */
void move_look(struct thread *self, const void *codeptr, bool in);
static inline void move_in(struct thread *self, const void *codeptr)
{
	if (__builtin_expect(self->choice != __atomic_load_n(&events.choices, __ATOMIC_RELAXED), 0))
		move_look(self, codeptr, true);
}
static inline void move_out(struct thread *self, const void *codeptr)
{
	if (__builtin_expect(self->choice != __atomic_load_n(&events.choices, __ATOMIC_RELAXED), 0))
		move_look(self, codeptr, false);
}

/*
 * Before a construct that is directly in the region's body, or behind a barrier there: if a sensor
 * asks for it, a thread that has left the clone moves into it again.
 */
void move_due(struct thread *self, const void *codeptr);
/*
 * After a thread has waited for others: if one of them made a call after which no clone may run
 * (guard.h), this thread continues in the original.
 */
void move_back(struct thread *self, const void *codeptr);

#endif
