/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_MEMORY_LIMITS_H
#define MEMSEARCH_LOADER_MEMORY_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "ompt_tool/arrays/heap.h"

/*
 * Limits of addresses and of data memory (RLIMIT_AS, RLIMIT_DATA; setrlimit(2)) that the program
 * sets while the core's tables are mapped. The kernel counts these, too, so it gets the limit with
 * their size added, and the program reads back the limit that it set:
 *
 *     program    setrlimit(800 MB)    getrlimit: 800 MB    exec: the new program has 800 MB
 *     kernel     800 MB + 2.5 GB
 *
 * Exported in place of libc's: setrlimit, getrlimit, prlimit, and the exec functions. Not seen: system
 * calls made without libc; children of posix_spawn, system and popen, which keep the larger limit.
 */

/*
 * `added`: bytes that memsearch has mapped, or of these the data memory (heap_hooks.added). Until it
 * is called limits are the program's. Before it, `libraries`: what loading the core mapped.
 */
struct memory_mapped;
void memory_limits_libraries(const struct memory_mapped *before, const struct memory_mapped *after);
void memory_limits_begin(size_t (*added)(bool data));
/* At the start, and in a child of fork. A child of vfork is another process with the same memory. */
void memory_limits_in(pid_t process);
/* Whether the system call has to do with limits, and the call for the program. */
bool memory_limits_is_call(long number);
long memory_limits_call(long number, unsigned long a, unsigned long b, unsigned long c,
			unsigned long d);

/* For the program's tables, where the library is not preloaded (heap.h). */
struct heap_stand_ins memory_limits_stand_ins(void);

#endif
