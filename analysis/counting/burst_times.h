/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_BURST_TIMES_H
#define MEMSEARCH_COUNTING_BURST_TIMES_H

#include "analysis/record/run.h"
#include "analysis/trace/trace_reader.h"

/*
 * Extrapolates bursts (struct traced_burst): assumes that a parallel region has the same accesses
 * per time in all of its time as in the recorded part, and so has a task, and a construct directly
 * in the region. A region's own time is without that of its tasks, which is known: its time ends with
 * a thread's part, and tasks may follow in the barrier that closes it. One thread at a time.
 */
struct arena;
struct burst_times {
	const struct run *run;
	/*
	 * by region: of all threads in one execution of the phase, or in the run; of tasks their own
	 * time; 0: unknown
	 */
	double *time_ns;
	double *tasks_ns;   /* by parallel region: of the tasks in it … */
	double *inside_ns;  /* … of these that are part of the region's time */
	double *waits_ns;   /* … and waits in it, as part of its time */
	double *work_ns;    /* by parallel region: of the work-sharing constructs directly in it */
	double *executions; /* of one thread in that time */
};

/* False: no memory. */
bool burst_times_init(struct burst_times *times, struct arena *arena, const struct run *run);
/*
 * What the execution's bursts have times of: the task that the region is in, or is; in a parallel
 * region without tasks the construct, where it was recorded; else the outermost region.
 * MS_REGION_NONE: none.
 */
uint32_t burst_times_of(const struct burst_times *times, const struct traced_execution *of,
			uint32_t region);
/* Recorded time of the region itself in the execution's bursts, in ns. */
double burst_times_recorded(const struct traced_execution *of, uint32_t region);
/* Whether the region is a work-sharing construct, or in one. */
bool burst_times_is_in_work(const struct burst_times *times, uint32_t region);
/* The metric that has the time of such a region. */
enum ms_metric burst_times_metric(const struct run *run, uint32_t region);
/*
 * Ratio of the region's time in one execution of the phase, or in the run, to its recorded time,
 * which may be that of several executions; 0: unknown. Not less than if all of these were whole, but
 * for a region's own code beside constructs. `begun`: recorded executions of the outermost region;
 * 0: unknown, as many as of->phases have.
 */
double burst_times(const struct burst_times *times, const struct traced_execution *of,
		   uint32_t region, uint64_t begun);
/*
 * Whether the region's bursts of a later execution count instead of those of an earlier one, in
 * which the program may have waited for pages: unless they recorded far less of it.
 */
bool burst_times_replace(const struct burst_times *times, const struct traced_execution *later,
			 const struct traced_execution *earlier, uint32_t region);
/*
 * Whether the run, or a region with a relevant share of the time, is only in traces of bursts: also if
 * the region was counted in the phase, but all traces of the phase were cut off before it. Reads
 * traces that were cut off. False also without memory.
 */
bool burst_times_are_needed(const struct burst_times *times, struct arena *arena,
			    struct trace_reader *reader);

#endif
