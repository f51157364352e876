/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_SECCOMP_PROBE_H
#define MEMSEARCH_LOADER_SECCOMP_PROBE_H

#include <stdbool.h>

/*
 * Detects a seccomp filter that was installed before memsearch was loaded: by a launcher, a
 * container runtime or the program itself. The kernel does not show the rules of a filter, so a
 * forked child issues memsearch's system calls with invalid arguments.
 */
enum seccomp_probe {
	SECCOMP_ALLOWS_ALL, /* no filter, or one that at most returns errors */
	/* kills or traps at least one call, but none that printing a line needs */
	SECCOMP_KILLS_SOME,
	SECCOMP_KILLS_OUTPUT, /* kills or traps a call that printing a line needs */
};

/*
 * Forks only if the process has a filter. Needs libc only and 4 KiB of stack; no malloc. Any
 * thread, not in a signal handler. Preserves errno.
 */
enum seccomp_probe seccomp_probe(void);

#endif
