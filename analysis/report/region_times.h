/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_REGION_TIMES_H
#define MEMSEARCH_REPORT_REGION_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/report/row_index.h"

/*
 * Time of regions by thread, in one execution of the phase. A task's time is its own; that of
 * serial code is known from its begin to its end; that of natural loops and called functions where
 * loop_time was measured.
 */
struct arena;
struct run;

struct region_times {
	const struct run *run;
	struct row_index rows; /* measurements by region */
	double *times, *waits; /* [width], of one region; from `nr` on NAN */
	size_t width, nr;
};

/* ns; NAN: not measured. */
struct region_time {
	double total, longest;       /* of all threads; of the one that spends most there */
	double waited;               /* at barriers and for locks, of all threads */
	const double *times, *waits; /* by thread, until the next call */
	size_t nr;                   /* of threads that have one of them: 0 to nr - 1 */
};

/* False: no memory. */
bool region_times_init(struct region_times *all, struct arena *arena, const struct run *run);
struct region_time region_time_of(struct region_times *all, uint32_t region);

#endif
