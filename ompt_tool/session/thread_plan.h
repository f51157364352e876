/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_THREAD_PLAN_H
#define MEMSEARCH_SESSION_THREAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The number of threads of each execution of the phase, where it varies within one run: blocks of
 * executions, forward and backward in turn, so that what drifts with time does not look like an
 * effect of threads. A block begins with an execution that does not count: caches and the team are
 * not as in later ones. Pure: no clock, no runtime.
 *
 *     4 threads | 2 | 1 | 1 | 2 | 4 | 4 …     with w the warm-up: w m m | w m m | …
 *
 * After each forward and backward pass blocks are twice as long, up to a bound: short programs
 * measure each number, long ones lose little to warm-ups.
 */
#define THREAD_PLAN_MOST 64

struct thread_plan {
	uint32_t counts[THREAD_PLAN_MOST];
	size_t nr;
	size_t at; /* the present one is counts[at] */
	bool backward;
	uint32_t block; /* executions that count */
	uint32_t done;  /* of the present block, with the warm-up */
};

/* "4,2,1". False: it is not 1 to THREAD_PLAN_MOST different numbers above 0. */
bool thread_plan_read(struct thread_plan *plan, const char *text);
/* Another phase: from the first number on. */
void thread_plan_restart(struct thread_plan *plan);
/* The present execution does not count. */
bool thread_plan_is_warm_up(const struct thread_plan *plan);
/* An execution, or a group of short ones, has ended. True: another block begins. */
bool thread_plan_next(struct thread_plan *plan);

#endif
