/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_FOLD_H
#define MEMSEARCH_EVENTS_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/measurement.h"

/* What the callbacks measured, collected at phase boundaries. */

/*
 * Emits every value since the last fold: the summaries, and waits at the end of parallel regions
 * whose workers have had no event since. There may be two rows of one cell. One caller at a time.
 * Returns the number of rows emitted.
 */
uint64_t events_fold(void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx);
/*
 * Call before events_fold at a phase boundary. If it lies inside a parallel region, the values of
 * that region so far are summarised as one part: the initial thread's now, those of other threads
 * when they next begin a construct, so mostly in the next fold. `keep` false: they are dropped
 * instead. `executions`: number of phase executions in the part. False: the boundary is outside of
 * regions (or this is not the initial thread), nothing was done.
 */
bool events_part(bool keep, uint32_t executions);
/*
 * Parts of the open outermost region (events_part), of threads other than the initial one, whose
 * accesses were requested and are not all recorded, so far.
 */
uint32_t events_incomplete_parts(void);
/* Calls `visit` for each thing that was not measured, and why (constant texts). */
void events_dropped(void (*visit)(void *ctx, const char *text, const char *why, uint64_t count),
		    void *ctx);

#endif
