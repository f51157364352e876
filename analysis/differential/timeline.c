/* SPDX-License-Identifier: Apache-2.0 */
/* Times of regions by thread, as spans. */
#include "analysis/differential/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"

static bool is_time_of_thread(const struct bucket_key *key)
{
	return key->part != PROFILE_NONE && key->array == PROFILE_NONE &&
	       compared_metric(key->metric)->of[0] == MS_METRIC_TIME;
}

static int by_thread(const void *left, const void *right)
{
	const struct timeline_time *a = left, *b = right;

	return (a->thread > b->thread) - (a->thread < b->thread);
}

static size_t count_times(const struct buckets *buckets)
{
	size_t nr = 0;

	for (size_t i = 0; i < buckets->nr; i++)
		nr += is_time_of_thread(&buckets->keys[i]);
	return nr;
}

static void collect_times(const struct exports *exports, size_t run, struct timeline *timeline)
{
	const struct buckets *buckets = &exports->buckets;

	for (size_t i = 0; i < buckets->nr; i++) {
		const struct bucket_key *key = &buckets->keys[i];
		uint32_t node = exports->tree.of_place[key->place];
		double ns = buckets->values[i * buckets->nr_runs + run];

		if (is_time_of_thread(key) && node != CALL_NONE && ns > 0)
			timeline->times[timeline->nr_times++] = (struct timeline_time){ key->part,
											node, ns };
	}
	if (timeline->nr_times)
		qsort(timeline->times, timeline->nr_times, sizeof(*timeline->times), by_thread);
}

bool timeline_of(const struct exports *exports, size_t run, struct timeline *out)
{
	struct arena *arena = exports->arena;
	size_t nodes = exports->tree.nr;

	*out = (struct timeline){ .thread = 0 };
	out->times = arena_alloc(arena, (count_times(&exports->buckets) + 1) * sizeof(*out->times));
	out->values = arena_alloc(arena, (nodes + 1) * sizeof(double));
	out->own = arena_alloc(arena, (nodes + 1) * sizeof(double));
	out->total = arena_alloc(arena, (nodes + 1) * sizeof(double));
	out->begin = arena_alloc(arena, (nodes + 1) * sizeof(double));
	out->events = arena_alloc(arena, (2 * nodes + 1) * sizeof(*out->events));
	if (!out->times || !out->values || !out->own || !out->total || !out->begin || !out->events)
		return false;
	collect_times(exports, run, out);
	return true;
}

/* Values of the next thread, by node. */
static void next_values(const struct call_tree *tree, struct timeline *timeline)
{
	const struct timeline_time *time = &timeline->times[timeline->next];

	timeline->thread = time->thread;
	for (size_t i = 0; i < tree->nr; i++)
		timeline->values[i] = NAN;
	for (; timeline->next < timeline->nr_times && time->thread == timeline->thread;
	     time = &timeline->times[++timeline->next])
		timeline->values[time->node] = time->ns;
}

/* The node or the first of its next siblings in which the thread spends time, or CALL_NONE. */
static uint32_t with_time(const struct call_tree *tree, const double *total, uint32_t node)
{
	while (node != CALL_NONE && !(total[node] > 0))
		node = tree->nodes[node].next;
	return node;
}

static void add_event(struct timeline *timeline, uint32_t node, bool begin, double at_ns)
{
	timeline->events[timeline->nr++] = (struct timeline_event){ node, begin, at_ns };
	timeline->end_ns = at_ns;
}

/* Ends the node and those around it that have no further child. The next to begin, or CALL_NONE. */
static uint32_t end_nodes(const struct call_tree *tree, struct timeline *timeline, uint32_t node)
{
	uint32_t next = CALL_NONE;

	while (node != CALL_NONE && next == CALL_NONE) {
		add_event(timeline, node, false, timeline->begin[node] + timeline->total[node]);
		next = with_time(tree, timeline->total, tree->nodes[node].next);
		node = tree->nodes[node].parent;
	}
	return next;
}

bool timeline_next(const struct exports *exports, struct timeline *timeline)
{
	const struct call_tree *tree = &exports->tree;
	uint32_t node;

	if (timeline->next >= timeline->nr_times)
		return false;
	timeline->nr = 0;
	timeline->end_ns = 0;
	next_values(tree, timeline);
	call_tree_sum(tree, timeline->values, compared_is_exclusive(MS_METRIC_TIME), timeline->own,
		      timeline->total);
	node = with_time(tree, timeline->total, tree->nr ? 0 : CALL_NONE);
	while (node != CALL_NONE) {
		uint32_t inner = with_time(tree, timeline->total, tree->nodes[node].first);

		timeline->begin[node] = timeline->end_ns;
		add_event(timeline, node, true, timeline->end_ns);
		node = inner != CALL_NONE ? inner : end_nodes(tree, timeline, node);
	}
	return true;
}
