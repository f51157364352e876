/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_COUNT_H
#define MEMSEARCH_COUNTING_COUNT_H

#include <stdbool.h>

#include "analysis/record/run.h"

/*
 * What the accesses that a run recorded amount to, after it has ended: the executions of the phase that its record keeps (analysis/trace/kept.h) are counted
 * by region, natural loop, array and instruction, and the cache lines that threads of a team touch are compared.
 *
 * Of executions of which the begin alone is kept, only regions that are in no whole one count; their counts are scaled to what the program counted of them while it
 * ran (rows of reads and writes), and nothing is known of their lines. Of bursts counts are scaled by time (burst_times.h), and regions of which there is none
 * have no values.
 */
struct arena;
struct kept;

enum count_status {
	COUNT_DONE,
	COUNT_NO_TRACE,                  /* the record keeps no whole execution */
	COUNT_DAMAGED,                   /* one of them cannot be read */
	COUNT_NO_MEMORY
};

struct count_result {
	enum count_status status;
	const bool *counted;             /* by region that the run came with: the trace has it; in the run's arena */
	uint64_t dropped;                /* accesses that found no room in tables */
	uint64_t too_long;               /* string instructions, memcpy and the like of more than RECORD_BYTES_MOST */
	uint64_t undivided;              /* instructions that access arrays with ranges, in regions that the trace does not have: they count for the array itself */
	uint64_t not_compared;           /* executions of constructs whose lines were not compared, as not all threads' ends were seen */
};

/* Replaces what the run has of regions that the trace has, in run->accesses, run->sharings and the metrics of MS_SENSOR_ACCESSES, and adds regions. */
struct count_result count_accesses(struct arena *arena, struct run *run, struct kept *kept);

#endif
