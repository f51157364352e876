/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_COUNTS_H
#define MEMSEARCH_REPORT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * What hardware counters have counted in a run, raw, and how; for all formats and `memsearch list
 * counts`.
 */
struct arena;

#define COUNT_NODE UINT32_MAX

/* One counter in one region on one thread, or on those of one NUMA node. */
struct count {
	const struct run_counter *counter;
	uint32_t region, thread; /* COUNT_NODE: all that are on the node */
	uint32_t node;           /* the thread's; RUN_PLACE_UNKNOWN */
	uint64_t readings;       /* executions of the region that were read */
	uint64_t phases;         /* executions of the phase in which it was asked for */
	/*
	 * of the readings; in a mean execution of the phase, those not read being like the others
	 */
	double sum, each;
};

/*
 * Events the user named, or all counters: counter by counter, the largest first, region 0's before
 * the others. In the arena.
 */
size_t counts_of(struct arena *arena, const struct run *run, bool named, const struct count **out);
/*
 * The same with a row for each NUMA node beside those of threads, on a machine with more than one,
 * where the node of every thread with a value is known. Such a row has the sums over its threads.
 */
size_t counts_with_nodes(struct arena *arena, const struct run *run, const struct count **out);
/* The event as it was named, or the metric. */
const char *counts_name(const struct run_counter *counter);
/*
 * "perf, events of skx; at most 4 metrics at a time, 9 sets of them in turn"; NULL: no counters
 * worked. `brief`: without numbers that differ from run to run.
 */
const char *counts_how(struct arena *arena, const struct run *run, bool brief);
/* Why a counter has no values, in words; NULL: it has. */
const char *counts_why(const struct run_counter *counter);

#endif
