/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MEASUREMENTS_SUMMARY_H
#define MEMSEARCH_MEASUREMENTS_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/measurement.h"
#include "memsearch/region.h"
#include "memsearch/status.h"

/*
 * Per-thread summaries: one ms_stat for each (region, metric) a thread has met,
 * in address space reserved when the thread begins (MAP_NORESERVE), so that a
 * callback never allocates. Only the owner writes; the fold reads with
 * relaxed atomics while owners continue, and yields the differences since the last fold.
 *
 *     index[region][metric] ──▶ cells[n] = {stat, what was folded already}
 */
struct summary;

/* Reserves address space for one thread; NULL: refused by the kernel (RLIMIT_AS …). */
struct summary *summary_new(void);
void summary_free(struct summary *summary);

/* Owner only, callbacks allowed. Adds one value; false: no room left (counted). */
bool summary_add(struct summary *summary, uint32_t region, enum ms_metric metric, double value);
/* The same for a gauge: replaces the value. */
bool summary_set(struct summary *summary, uint32_t region, enum ms_metric metric, double value);
/*
 * Owner only, callbacks allowed. From now on what is added to `region` (MS_REGION_NONE: to none) is
 * a part: it adds to the sum, and is counted when the next value that is none completes it. So
 * minimum, maximum and squares are those of whole values.
 */
void summary_parts(struct summary *summary, uint32_t region);
/*
 * The region's values are complete: counts those that got nothing but parts, except wall_time,
 * whose last piece comes later. Not `counted`: what was added of them so far is of no execution.
 */
void summary_end_parts(struct summary *summary, uint32_t region, bool counted);
uint64_t summary_dropped(const struct summary *summary);
uint64_t summary_cells(const struct summary *summary);

/*
 * Folder only (the initial thread, at a phase boundary, or the last thread at the end):
 * calls `emit` for every cell with something new since the last fold; a row of parts alone has
 * count 1. min and max are those of the whole run so far. Returns rows emitted.
 */
uint64_t summary_fold(struct summary *summary, uint32_t thread,
		      void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx);

#endif
