/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_ONLINE_H
#define MEMSEARCH_SESSION_ONLINE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What happens at a phase boundary, on the initial thread: fold the threads' summaries
 * into the summary table, hand it to the search, apply the requests of the next
 * experiment, write the record. The only place where events/ and analysis/ meet.
 * Its time is accounted as tool time. Allocates from its own arena.
 */
struct options;
struct thread;

/*
 * In the tool's initialize, which began at `begin_ns`, after the sensors were probed: all from then on is the tool's
 * own time. `runtimes`: names of the OpenMP runtimes, kept; may grow. False: nothing will be measured (one line was logged).
 */
bool online_start(const struct options *options, const char *runtimes, uint64_t begin_ns);

/*
 * The initial thread is about to begin `region` (before it is measured). level 0: a parallel
 * region, or an orphaned construct in serial code; level 1: a loop, barrier, single or
 * sections inside the parallel region it is in. May take long when this is a boundary.
 */
void online_event(struct thread *self, int level, uint32_t region, uint64_t now_ns);

/* omp_control_tool: 64 begins, 65 ends an execution of phase `modifier`; 1 start, 2 pause, 4 end measuring. Any thread; only the initial one counts. */
void online_control(struct thread *self, uint64_t command, uint64_t modifier, uint64_t now_ns);

/*
 * The program ends (finalize, an exit handler, or the library's destructor, whichever comes
 * first; later calls do nothing): last fold, end of the search, source lines, record, list on stderr.
 * `cut_short`: it goes on without us, and why; NULL: it ends.
 */
void online_finish(const char *cut_short);

/* In the child of a fork: forget everything, touch nothing that the parent owns. */
void online_forget(void);

#endif
