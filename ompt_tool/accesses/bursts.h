/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_BURSTS_H
#define MEMSEARCH_ACCESSES_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reduces the processing of recorded words if full processing would exceed the cost limit. The cost
 * is kept proportional to the progress of the execution. If it is ahead, the most expensive step is
 * omitted first:
 *
 *     1. mark lines, count and trace all words
 *     2. count and trace all words
 *     3. count in bursts, trace all words
 *     4. count in bursts
 *
 * The counts of a burst are weighted to represent the gap before it, so that sums are unbiased
 * (Horvitz and Thompson 1952). A part of the limit may be spent at once, so that cheap executions
 * are counted completely. Owner only.
 */
#define BURST_WORDS 32768 /* a full buffer */

struct bursts {
	/* limit of this execution; UINT64_MAX: none */
	uint64_t all_ns;
	uint64_t words; /* so far */
	uint64_t left;  /* words left of the current burst or gap */
	uint64_t gap;   /* words skipped before the present burst */
	uint64_t here;  /* of these, in the current construct */
	bool passing, counted_here;
	bool forced; /* the present burst is counted although the limit is exceeded */
	bool without_lines, without_trace; /* from now on */
};

/* Begins an execution that may cost `all_ns`. */
void bursts_begin(struct bursts *bursts, uint64_t all_ns);
/*
 * The next words are another construct's, whose gaps are its own. Of one with many words a burst is
 * counted on each thread, or threads that do as much would seem uneven.
 */
void bursts_enter(struct bursts *bursts);
/*
 * Decides about the next `nr` words, given the cost and the progress (0 … 1) of the execution.
 * Returns their weight, the number of words that each represents; 0: they are skipped.
 */
double bursts_next(struct bursts *bursts, uint64_t nr, uint64_t spent_ns, double progress);

#endif
