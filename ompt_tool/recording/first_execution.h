/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_FIRST_EXECUTION_H
#define MEMSEARCH_RECORDING_FIRST_EXECUTION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Records bursts of accesses while no phase is known: in the first execution of each parallel
 * region, and seldom in later ones. So programs that repeat nothing, or end soon, have recorded
 * accesses, too.
 *
 *     body passed to the runtime ─▶ clone ─▶ each thread records until its burst or the budget ends
 *     ─▶ leaves the clone for the original
 *
 * The tasks of the region run as clones, too, and begin further bursts (accesses/burst_pace.h).
 * (Arnold, Ryder: A framework for reducing the cost of instrumented code, PLDI 2001; Hirzel,
 * Chilimbi: Bursty tracing, 2001.) All on the initial thread in serial code: one region at a time.
 */
struct region;
struct region_table;
struct thread;

/*
 * Starts and stops recording bursts; `limit`: part of the program's time that measuring may take.
 * At a phase boundary.
 */
void first_execution_start(struct region_table *regions, double limit);
void first_execution_stop(void);
bool first_execution_is_on(void);
/*
 * CPU time of bursts that have ended, on the thread where it is highest, and of making clones. Not
 * part of the limit.
 */
double first_execution_spent_ns(void);
void first_execution_forget(void); /* in the child of a fork */

/*
 * Returns whether this execution of the body is recorded. On the initial thread in serial code,
 * before it passes the body to the runtime.
 */
bool first_execution_wants(const struct thread *self, uintptr_t body);
/*
 * Begins the burst: `made`: the body has a clone, which took `took_ns` of CPU time. Returns false
 * where the original is passed all the same.
 */
bool first_execution_passes(uint64_t took_ns, bool made);
/*
 * Requests the accesses of the region whose body was passed as a clone, and of all regions inside
 * it.
 */
void first_execution_begins(struct region *region);
/*
 * Requests them again, after all requests were replaced within the region: constructs and tasks that
 * begin later are recorded, too.
 */
void first_execution_ask_again(void);
/* Ends the burst with its parallel region. On the initial thread, in serial code. */
void first_execution_ends(void);

#endif
