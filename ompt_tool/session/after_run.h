/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_AFTER_RUN_H
#define MEMSEARCH_SESSION_AFTER_RUN_H

#include <stdbool.h>

/*
 * Analyses a finished record in a child process: the installed `memsearch report RECORD`, which
 * simulates the recorded accesses, continues the search, and prints the result on the program's
 * stderr. For programs that were not started by `memsearch run`.
 *
 * The child has no exit signal, so that a handler or a wait of the program never sees it, shares no
 * memory map after its exec, and has an environment without the tool. The calling thread waits for
 * it. Call it at the end of the program, on a stack of memsearch's own, signals blocked, after the
 * record is closed.
 *
 * False, with nothing printed, if it is impossible: no such program next to the tool, a seccomp
 * filter, a running timer of the program (its signal must not occur because of the wait), little
 * memory left, or the child failed.
 */
struct arena;

/*
 * `machine`: the machine to simulate, as for --machine; "": this one, as far as it can be simulated
 * in 12 s.
 */
bool after_run_report(struct arena *arena, const char *record_path, const char *machine);

#endif
