/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_BURST_TIMES_H
#define MEMSEARCH_COUNTING_BURST_TIMES_H

#include "analysis/record/run.h"
#include "analysis/trace/kept.h"

/*
 * What bursts (struct kept_burst) stand for: the accesses of a parallel region are taken to come as fast, and to be alike, in all of its time as in the part that
 * was recorded. One thread at a time.
 */
struct arena;
struct burst_times {
	const struct run *run;
	double *time_ns;                 /* by region: of all threads in one execution of the phase, or in the run; 0: not known */
	double *executions;              /* of one thread in that */
};

/* False: no memory. */
bool burst_times_init(struct burst_times *times, struct arena *arena, const struct run *run);
/* How many times what the execution has of the region comes in one execution of the phase, or in the run; at least 1; 0: that is not known. */
double burst_times(const struct burst_times *times, const struct kept_execution *of, uint32_t region);
/*
 * Whether there are bursts of a region that takes a good part of the time, and of which no execution of the phase was recorded, or bursts alone. False also:
 * no memory.
 */
bool burst_times_are_needed(const struct burst_times *times, struct arena *arena, const struct kept *kept);
/* The parallel region that is not in another one, or the region itself. */
uint32_t burst_times_outermost(const struct run *run, uint32_t region);

#endif
