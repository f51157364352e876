/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_HISTORY_H
#define MEMSEARCH_SEARCH_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/index_table.h"
#include "analysis/search/engine_results.h"

/*
 * The search history graph: every candidate so far, one node for each (property, region, thread,
 * interval), and the queue of candidates to be measured. Not here: verdicts (judge.h) and the choice of
 * measurements (engine).
 *
 * Nodes are never moved nor freed. Finding, adding, queueing: O(1), O(1), O(log n).
 */
struct arena;

struct history_node {
	struct engine_node node;
	bool queued;
	bool gated;   /* waits for a pre- or anti-condition to be decided */
	int earlier;  /* in earlier runs: 1 true, -1 false, 0 not known */
	bool hinted;  /* a hint of the parent's property points here */
	bool why;     /* same region as the parent: a more specific hypothesis */
	bool when;    /* same hypothesis and place as the parent, in an interval within its own */
	bool refined; /* a region or thread inside is true or not decided yet, see engine_when.c */
	uint32_t intervals; /* bits: it has been tested in these */
	bool over_budget;   /* its measurement was started, and cost too much */
	/* judged over the recent window, as its parent is true only there */
	bool recent;
	bool outdated; /* its verdict is of an earlier evaluation: false since then */
	bool revived;  /* was discontinued and got its second chance */
	/*
	 * gave way to candidates without a counter: 1: after the minimum, 2: after the sufficient
	 * time
	 */
	uint8_t turns;
	double parent_severity; /* when it was queued */
	double time;            /* of the region in a mean execution, ns; then, 0: not known */
	uint64_t evaluated;     /* executions under observation at the last evaluation */
};

struct history {
	struct arena *arena;
	struct history_node **nodes;
	size_t nr, room;
	struct history_node *block;
	size_t block_left;
	struct index_table index; /* of ids, by property, region, thread and interval */
	/* binary heap of ids, first to be tried on top */
	uint32_t *queue;
	size_t nr_queued, room_queue;
};

void history_init(struct history *history, struct arena *arena);

static inline struct history_node *history_at(const struct history *history, uint32_t id)
{
	return id < history->nr ? history->nodes[id] : NULL;
}

/* By property, region, thread and interval. MS_NODE_NONE: there is none. */
uint32_t history_find(const struct history *history, const struct ms_candidate *candidate);
/* NULL: there already is such a node, or no memory. */
struct history_node *history_add(struct history *history, const struct ms_candidate *candidate);

/*
 * The queue. Order: candidates that gave way less often; true in earlier runs, not known, false;
 * priority; hinted before not hinted; why
 * before where before when (W22: but a hint is considered first); severity of the parent; age.
 */
bool history_before(const struct history_node *a, const struct history_node *b);
/* false: no memory; nothing if queued already */
bool history_push(struct history *history, struct history_node *node);
struct history_node *history_pop(struct history *history); /* NULL: empty */

#endif
