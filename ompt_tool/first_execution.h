/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_FIRST_EXECUTION_H
#define MEMSEARCH_FIRST_EXECUTION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * While no phase is known: bursts of accesses are recorded in the first execution of each parallel region, and seldom in later ones, so that programs that
 * repeat nothing, or end soon, have recorded accesses, too.
 *
 *     body passed to the runtime ─▶ clone ─▶ each thread records until its burst or the budget ends ─▶ leaves the clone for the original
 *
 * (Arnold, Ryder: A framework for reducing the cost of instrumented code, PLDI 2001; Hirzel, Chilimbi: Bursty tracing, 2001.) All on the initial thread in serial
 * code: one region at a time.
 */
struct region;
struct region_table;
struct thread;

/* From now on, `limit` being the part of the time that measuring may take; or not any more. At a phase boundary. */
void first_execution_start(struct region_table *regions, double limit);
void first_execution_stop(void);
bool first_execution_is_on(void);
void first_execution_forget(void);       /* in the child of a fork */

/* The body that is about to be passed to the runtime is to run as a clone. On the initial thread, which has passed none since the last region. */
bool first_execution_wants(const struct thread *self, uintptr_t body);
/* That clone exists (`made`), and took so long to make. False: the original is to be passed all the same. */
bool first_execution_passes(uint64_t took_ns, bool made);
/* A parallel region begins whose body was passed as a clone: it asks for its accesses, and those of what is inside of it. */
void first_execution_begins(struct region *region);
/* A parallel region has ended, in serial code. */
void first_execution_ends(void);

#endif
