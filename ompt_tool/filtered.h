/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_FILTERED_H
#define MEMSEARCH_FILTERED_H

#include <stdbool.h>

/*
 * A filter of system calls (seccomp) that was there before memsearch came: of the program's launcher, or its own where nothing of memsearch
 * was loaded yet. No call tells what it answers, so a child tries what memsearch calls, with arguments that do nothing.
 */
enum filtered {
	FILTERED_NOTHING,                /* nothing of it ends a process: calls may fail */
	FILTERED_SOME,                   /* a process is ended, or hears a signal, for some of it, but not for writing a line on a stack of our own */
	FILTERED_LINES,                  /* … for that, too */
};

/* A process without a filter forks no child. Needs libc only, and 4 KiB of stack; no malloc, any thread, but no signal handler. Keeps errno. */
enum filtered filtered_calls(void);

#endif
