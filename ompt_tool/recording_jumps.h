/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_JUMPS_H
#define MEMSEARCH_RECORDING_JUMPS_H

#include <stdbool.h>

/*
 * Functions that libraries call back: what recorded code hands to qsort, say, and qsort calls. Nothing of the library is a clone
 * that would lead there, so a jump to the clone stands at the function's begin while something is recorded.
 * One thread at a time, at phase boundaries.
 */
struct arena;
struct region_table;

/*
 * Puts jumps at the functions whose addresses recorded code takes, but for bodies of regions, or takes them away; the arena lives as long as
 * the process. False: not all are as they should be; ask again. *why_out: why functions whose jumps are asked for have none, now or for good
 * (signal handlers, and those without room for a jump); NULL: all have.
 */
bool recording_jumps(struct arena *arena, struct region_table *regions, bool on, const char **why_out);
/* In the child of a fork, which has one thread: takes them away. No malloc. */
void recording_jumps_forget(void);

#endif
