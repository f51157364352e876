/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_BURSTS_H
#define MEMSEARCH_ACCESSES_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The processing of recorded words when full processing exceeds the limit. The cost keeps pace with
 * the execution; if it is ahead, the most expensive step is omitted first:
 *
 *     lines are marked, words are counted and traced  ─▶  without lines  ─▶  counted in bursts, traced  ─▶  counted
 *                                                                                                           in
 *                                                                                                           bursts
 *
 * What a burst counts stands for the gap before it, so that sums are right in the mean (Horvitz and
 * Thompson 1952). So what there is to spend lasts until the end, and a program whose loops take
 * long has its answers, too. A part may be spent at once, so that what is cheap enough is done
 * whole. Owner only.
 */
#define BURST_WORDS 32768 /* a full buffer */

struct bursts {
	/* it may take in this execution; UINT64_MAX: there is no limit */
	uint64_t all_ns;
	uint64_t left; /* words of what is under way, a burst or a gap */
	uint64_t gap;  /* words skipped before the present burst */
	bool passing;
	bool without_lines, without_trace; /* from now on */
};

/* There is that much to take from now on. */
void bursts_begin(struct bursts *bursts, uint64_t all_ns);
/*
 * Processes the next `nr` contiguous words, given the cost and the progress (0 … 1) of the
 * execution. Returns their weight: 0: skipped; else the number of words each stands for.
 */
double bursts_next(struct bursts *bursts, uint64_t nr, uint64_t spent_ns, double progress);

#endif
