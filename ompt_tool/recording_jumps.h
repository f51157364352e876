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
 * the process. False: not all are as they should be, because of *why_out or (NULL) because it is inside of a parallel region; ask again.
 */
bool recording_jumps(struct arena *arena, struct region_table *regions, bool on, const char **why_out);

#endif
