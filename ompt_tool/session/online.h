/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_ONLINE_H
#define MEMSEARCH_SESSION_ONLINE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Work at a phase boundary, on the initial thread: folds the threads' summaries into the summary
 * table, passes it to the search, applies the requests of the next experiment, writes the record.
 * Connects events/ and analysis/. Its time is accounted as tool time. Allocates from its own arena.
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
 * For events_start. An event takes long if it is a boundary. Calls of omp_control_tool count only
 * on the initial thread.
 */
extern const struct events_listener online_listener;

/*
 * The program ends (finalize, an exit handler, or the library's destructor, whichever comes first;
 * later calls do nothing): last fold, end of the search, source lines, record, list on stderr.
 * `cut_short`: the reason why the program continues without memsearch; NULL: it ends.
 */
void online_finish(const char *cut_short);

/* In a forked child: discards everything, and changes nothing that the parent owns. */
void online_forget(void);

#endif
