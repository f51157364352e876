/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_COUNT_H
#define MEMSEARCH_COUNTING_COUNT_H

#include <stdbool.h>

#include "analysis/record/run.h"

/*
 * Counts the accesses that a run recorded, after its end: those of the executions of the phase in
 * its record (analysis/trace/trace_pieces.h), by region, natural loop, array and instruction; and
 * compares the cache lines of the threads of a team.
 *
 * An execution of which only the begin is stored counts for regions that no complete one has; their
 * counts are scaled to those of the run (rows of reads and writes), and their lines are unknown.
 * Counts of bursts are scaled by time (burst_times.h); regions without a burst have no values.
 */
struct arena;
struct trace_reader;

enum count_status {
	COUNT_DONE,
	COUNT_NO_TRACE, /* the record has no complete execution */
	COUNT_DAMAGED,  /* one of them cannot be read */
	COUNT_NO_MEMORY
};

struct count_result {
	enum count_status status;
	/* by region of the run: the trace has it; in the run's arena */
	const bool *counted;
	/* all regions whose accesses the run counted are counted from whole executions */
	bool whole;
	uint64_t dropped; /* accesses dropped because tables were full */
	/* string instructions and RECORD_RANGEs longer than RECORD_BYTES_MOST */
	uint64_t too_long;
	/*
	 * instructions that access arrays with ranges, in regions without a trace: counted for the
	 * whole array
	 */
	uint64_t undivided;
	/* executions of constructs without comparison, as the end of a thread is missing */
	uint64_t not_compared;
};

/*
 * Replaces rows of regions in the trace: run->accesses, run->sharings and the metrics of
 * MS_SENSOR_ACCESSES; adds regions.
 */
struct count_result count_accesses(struct arena *arena, struct run *run,
				   struct trace_reader *reader);

#endif
