/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_RESTING_H
#define MEMSEARCH_SESSION_RESTING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Events inside of a parallel region are switched off up to its end where callbacks alone exceed the
 * limit: those of tasks and loops below a microsecond cost as much as these do. What was measured up
 * to then is kept. Initial thread, one at a time (events_enter), but resting_end.
 */
struct thread;

/* In callbacks: whether to call resting_judge, on a stack of the tool's own. */
bool resting_is_judged(uint64_t now_ns);
/* Begins a rest where it is due. */
void resting_judge(struct thread *self, uint64_t now_ns);
/* The initial thread has an event again, or the program ends. No effect otherwise. */
void resting_end(uint64_t now_ns);

#endif
