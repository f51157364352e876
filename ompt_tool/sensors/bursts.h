/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_BURSTS_H
#define MEMSEARCH_SENSORS_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Which of the words that a thread records are counted, where counting all of them takes more than it may: bursts, with gaps between them where what was
 * spent is ahead of how far the execution is. So what there is to spend lasts until its end, and a program whose loops take long is told of them, too.
 * What is counted stands for the gap before it, so that sums are right in the mean (Horvitz and Thompson 1952).
 *
 *     spent ▲                    ┌ ─ ─ all: nothing more is counted
 *           │           ╭──╭──╭──╯
 *           │     ╭──╭──╯                        ── a gap
 *           │╭────╯
 *           └───────────────────────▶ how far the execution is
 *
 * A quarter may be spent at once, so that what is cheap enough is counted whole. Owner only.
 */
#define BURST_WORDS 32768                /* a full buffer */

struct bursts {
	uint64_t all_ns;                 /* it may take in this execution; UINT64_MAX: there is no limit */
	uint64_t left;                   /* words of what is under way, a burst or a gap */
	uint64_t gap;                    /* words passed over before the burst under way */
	bool passing;
};

/* There is that much to take from now on. */
void bursts_begin(struct bursts *bursts, uint64_t all_ns);
/* What the next `nr` words are worth, which are together: 0, they are passed over; else what they stand for, in times of themselves. `progress`: 0 … 1. */
double bursts_next(struct bursts *bursts, uint64_t nr, uint64_t spent_ns, double progress);
/* Tracing, which goes on in gaps, takes so much by itself that nothing would be left to count. */
bool bursts_are_behind(const struct bursts *bursts, uint64_t spent_ns, double progress);

#endif
