/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_JUMPS_H
#define MEMSEARCH_RECORDING_JUMPS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Functions that libraries call back: what recorded code hands to qsort, say, and qsort calls. Nothing of the library is a clone
 * that would lead there, so a jump to the clone stands at the function's begin while something is recorded.
 * One thread at a time, at phase boundaries.
 */
struct arena;
struct region_table;

/* Why functions that were to have jumps have none, now or for good (signal handlers, and those without room for a jump). */
struct jumps_refused {
	const char *why;                 /* NULL: all have */
	uintptr_t function;              /* the first of them; 0: it is about all */
};

/*
 * Puts jumps at the functions whose addresses recorded code takes, but for bodies of regions, or takes them away; the arena lives as long as
 * the process. False: not all are as they should be; ask again.
 */
bool recording_jumps(struct arena *arena, struct region_table *regions, bool on, struct jumps_refused *refused_out);
/* In the child of a fork, which has one thread: takes them away. No malloc. */
void recording_jumps_forget(void);

#endif
