/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_BURST_SUMS_H
#define MEMSEARCH_COUNTING_BURST_SUMS_H

#include "analysis/counting/burst_times.h"
#include "analysis/trace/stream.h"

/*
 * Adds up a region's bursts: of each recorded execution that has some, without the first one, in which
 * the program may have waited for pages, unless the other ones have far less. One thread at a time.
 *
 *     new ─▶ note, note_begun, in the order of executions ─▶ end ─▶ of
 */
struct burst_sums;

struct burst_sum {
	/* number + 1 of the first execution with accesses of the region; 0: none */
	size_t noted;
	size_t first, last; /* executions to add up: from and to these numbers + 1 */
	/* sums over them: for burst_times.h */
	struct traced_execution of;
	double times; /* burst_times */
};

/* In the arena, like all of it. NULL: no memory. */
struct burst_sums *burst_sums_new(struct arena *arena, const struct burst_times *times,
				  const struct trace_reader *reader);
/* The execution's bursts have accesses of the region; later calls have no smaller numbers. */
void burst_sums_note(struct burst_sums *sums, size_t execution, uint32_t region);
/* Counts the regions' executions in a decoded execution of the record. */
void burst_sums_note_begun(struct burst_sums *sums, size_t execution,
			   const struct trace_streams *streams);
void burst_sums_end(struct burst_sums *sums);
/* How many executions of the region, or of the outermost one around it, the execution has; 0: unknown. */
uint64_t burst_sums_begun(const struct burst_sums *sums, size_t execution, uint32_t region);
/* After the end, of a region of the run. */
const struct burst_sum *burst_sums_of(const struct burst_sums *sums, uint32_t region);
/* Whether the execution is one to add up. */
bool burst_sum_has(const struct burst_sum *sum, size_t execution);

#endif
