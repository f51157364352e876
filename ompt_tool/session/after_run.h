/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_AFTER_RUN_H
#define MEMSEARCH_SESSION_AFTER_RUN_H

#include <stdbool.h>

/*
 * The analysis of a finished record by a child process: the installed `memsearch report RECORD`,
 * which simulates the recorded accesses, continues the search, and prints the result on the
 * program's stderr. For programs that no `memsearch run` waits for.
 *
 * The child has no exit signal, so that a handler or a wait of the program never sees it, shares no
 * memory map after its exec, and has an environment without the tool. The calling thread waits for
 * it. Call it at the end of the program, on a stack of memsearch's own, signals blocked, after the
 * record is closed.
 *
 * False, and nothing was printed, where it cannot be: no such program beside the tool, a seccomp
 * filter, a running timer of the program's (its signal must not come because of the wait), little
 * memory left, or the child failed.
 */
struct arena;

/*
 * `machine`: the one to simulate, as --machine has it; "": this one, as far as that is done in 12
 * s.
 */
bool after_run_report(struct arena *arena, const char *record_path, const char *machine);

#endif
