/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_SHARING_H
#define MEMSEARCH_ACCESSES_SHARING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/counting/comparison.h"
#include "ompt_tool/accesses/watchpoints.h"

/*
 * Cache lines that the threads of a team share in one execution of a construct. Each thread marks
 * the lines it touches in a set of its own; the last one to end compares the sets, before the
 * barrier at the end of the construct opens.
 *
 *     thread 0   free ─▶ filling ─▶ ended ─┐
 *     thread 1   free ─▶ filling ──────────┴─▶ claimed ─▶ compared ─▶ collected: free
 *
 * The results: counting/comparison.h.
 *
 * A thread has a few sets, for constructs inside of others and for those without a barrier at their
 * end. Who needs one more takes that of a construct whose team has not ended: it is not compared
 * then.
 */
#define SHARING_SETS 4
#define SHARING_CONSTRUCTS 32 /* of one team, whose executions are counted */

/*
 * Which execution of which construct: the team's number, of the thread that met it, and how often
 * the team had met the construct.
 */
struct sharing_key {
	const void *team;
	uint64_t sequence;
	uint32_t region, nth;
};

struct sharing_set {
	struct compared of;
	/* atomic; enum state in sharing.c, and how often it was filled */
	uint32_t state;
	uint32_t threads; /* of the team */
	struct sharing_key key;
	const void *frame;        /* who fills it */
	uint64_t begun;           /* the larger, the later */
	struct sharing_set *next; /* of the same execution; comparing thread only */
};

/* One thread's, in zeroed memory reserved by the caller that stays for ever. */
struct sharing {
	struct sharing *next; /* of all threads */
	struct sharing_key met[SHARING_CONSTRUCTS];
	uint32_t nr_met;
	uint64_t begun;
	uint64_t given_up;            /* atomic; constructs not compared */
	struct comparison comparison; /* under way */
	struct sharing_set sets[SHARING_SETS];
	struct line_pool pool;
};

/* Once, before anything else. Any thread. */
void sharing_init(struct sharing *own);

/*
 * The thread begins a construct of a team of `threads` (0: not known); `key.nth` is filled in. If
 * `frame`, which identifies the construct on this thread, was used before without an end, that is
 * dropped, with the frames behind it. NULL: lines are not compared.
 */
struct line_set *sharing_begin(struct sharing *own, const void *frame, struct sharing_key key,
			       uint32_t threads);
/* Of the construct that `frame` stands for; NULL: none. */
struct line_set *sharing_lines(struct sharing *own, const void *frame);
/* A data structure that was met there, with its region. */
void sharing_met(struct sharing *own, const void *frame, uint32_t array, uint32_t region);
/* It ends; `whole`: nothing of it is missing. The last one of the team compares. */
void sharing_end(struct sharing *own, const void *frame, bool whole);
/*
 * Returns the results of comparisons for the thread, and clears them: called by its owner, or by
 * the fold. Row by row, at last one with the sum for the construct itself, which is in no array.
 * `row` NULL: there was no room, so that nothing is known of `region`.
 */
void sharing_collect(struct sharing *own,
		     void (*visit)(void *ctx, uint32_t region, const struct compared_array *row),
		     void *ctx);
/* Constructs that were not compared because the threads were too far apart. Any thread. */
uint64_t sharing_given_up(const struct sharing *own);

#endif
