/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MEASUREMENTS_SUMMARY_H
#define MEMSEARCH_MEASUREMENTS_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/measurement.h"
#include "memsearch/region.h"
#include "memsearch/status.h"

/*
 * Per-thread summaries: one ms_stat for each (region, metric) with a value on the thread, in
 * address space reserved when the thread begins (MAP_NORESERVE), so that a callback never
 * allocates. Only the owner writes; the fold reads with relaxed atomics while owners continue, and
 * yields the differences since the last fold.
 *
 *     index[region][metric] ──▶ cells[n] = {stat, values at the last fold}
 */
struct summary;

/* Reserves address space for one thread; NULL: refused by the kernel (RLIMIT_AS …). */
struct summary *summary_new(void);
void summary_free(struct summary *summary);

/* Owner only, callbacks allowed. Adds one value; false: no room left (counted). */
bool summary_add(struct summary *summary, uint32_t region, enum ms_metric metric, double value);
/*
 * The value stands for `count` values, whose sum is `times` times itself. No operation outside of the
 * function may set floating-point exception flags: `times` in 256ths, and values below 2^53, do not.
 */
bool summary_add_times(struct summary *summary, uint32_t region, enum ms_metric metric,
		       double value, double times, uint32_t count);
/* The same for a gauge: replaces the value. */
bool summary_set(struct summary *summary, uint32_t region, enum ms_metric metric, double value);
/*
 * Owner only, callbacks allowed. From now on values added to `region` (MS_REGION_NONE: to no
 * region) are parts: they add to the sum, and are counted as one value when the next value that is
 * no part completes it. So minimum, maximum and squares are those of complete values.
 */
void summary_parts(struct summary *summary, uint32_t region);
/*
 * The region's values are complete: counts those that consist of parts only, except wall_time,
 * whose last part is added later. Not `counted`: the parts so far belong to no execution and are
 * dropped.
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
