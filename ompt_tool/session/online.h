/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_ONLINE_H
#define MEMSEARCH_SESSION_ONLINE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What happens at a phase boundary, on the initial thread: fold the threads' summaries
 * into the summary table, hand it to the search, apply the requests of the next
 * experiment, write the record. Here events/ and analysis/ meet.
 * Its time is accounted as tool time. Allocates from its own arena.
 */
struct events_listener;
struct options;

/*
 * In the tool's initialize, which began at `begin_ns`, after the sensors were probed: all from then
 * on is the tool's own time. `runtimes`: names of the OpenMP runtimes, kept; may grow. False:
 * nothing will be measured (one line was logged).
 */
bool online_start(const struct options *options, const char *runtimes, uint64_t begin_ns);

/*
 * For events_start. An event may take long when it is a boundary. Of omp_control_tool only calls of
 * the initial thread count.
 */
extern const struct events_listener online_listener;

/*
 * The program ends (finalize, an exit handler, or the library's destructor, whichever comes first;
 * later calls do nothing): last fold, end of the search, source lines, record, list on stderr.
 * `cut_short`: the reason why the program continues without memsearch; NULL: it ends.
 */
void online_finish(const char *cut_short);

/* In the child of a fork: forget everything, touch nothing that the parent owns. */
void online_forget(void);

#endif
