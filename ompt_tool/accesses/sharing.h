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
 * A thread has SHARING_SETS sets, for nested constructs and for constructs without a barrier at
 * their end. If it needs another one, it reuses the set of a construct whose team has not ended;
 * that construct is not compared.
 */
#define SHARING_SETS 4
#define SHARING_CONSTRUCTS 32 /* constructs of one team whose executions are numbered */

/*
 * Identifies an execution of a construct: the team, its sequence number on the thread that created
 * it, and how often the team has executed the construct (nth).
 */
struct sharing_key {
	const void *team;
	uint64_t sequence;
	uint32_t region, nth;
};

struct sharing_set {
	struct compared of;
	/* atomic; enum state in sharing.c, and above it how often the set was filled */
	uint32_t state;
	uint32_t threads; /* of the team */
	struct sharing_key key;
	const void *frame;        /* frame of the construct on the owner, which fills the set */
	uint64_t begun;           /* increases with each begin of a construct */
	struct sharing_set *next; /* of the same execution; comparing thread only */
};

/* One thread's data, in zeroed memory that the caller reserves and never frees. */
struct sharing {
	struct sharing *next; /* of all threads */
	struct sharing_key met[SHARING_CONSTRUCTS];
	uint32_t nr_met;
	uint64_t begun;
	uint64_t given_up;            /* atomic; constructs not compared */
	struct comparison comparison; /* in progress */
	struct sharing_set sets[SHARING_SETS];
	struct line_pool pool;
};

/* Once, before anything else. Any thread. */
void sharing_init(struct sharing *own);

/*
 * The thread begins a construct of a team of `threads` (0: unknown); fills in `key.nth`. `frame`
 * identifies the construct on this thread; if it was used before without an end, that construct and
 * those of later frames are dropped. NULL: lines are not compared.
 */
struct line_set *sharing_begin(struct sharing *own, const void *frame, struct sharing_key key,
			       uint32_t threads);
/* The set of the construct of `frame`; NULL: none. */
struct line_set *sharing_lines(struct sharing *own, const void *frame);
/* Notes that the construct accesses a data structure, and its region. */
void sharing_met(struct sharing *own, const void *frame, uint32_t array, uint32_t region);
/*
 * The construct ends; `whole`: all its accesses are marked. The last thread of the team compares.
 */
void sharing_end(struct sharing *own, const void *frame, bool whole);
/*
 * Passes the results of comparisons for this thread to `visit` and clears them: called by the
 * owner, or by the fold. One row per data structure; the last row is the sum for the construct
 * itself, which has no array. `row` NULL: a table was full, so that the shared lines of `region`
 * are unknown.
 */
void sharing_collect(struct sharing *own,
		     void (*visit)(void *ctx, uint32_t region, const struct compared_array *row),
		     void *ctx);
/* Number of constructs not compared because a thread was too far ahead of others. Any thread. */
uint64_t sharing_given_up(const struct sharing *own);

#endif
