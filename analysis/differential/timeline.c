/* SPDX-License-Identifier: Apache-2.0 */
/* Times of regions by thread, as spans. */
#include "analysis/differential/timeline.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"

static bool is_time_of_thread(const struct bucket_key *key)
{
	return key->part != PROFILE_NONE && key->array == PROFILE_NONE &&
	       compared_metric(key->metric)->of[0] == MS_METRIC_TIME;
}

static uint32_t count_threads(const struct buckets *buckets, size_t run)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < buckets->nr; i++)
		if (is_time_of_thread(&buckets->keys[i]) && buckets->keys[i].part >= nr &&
		    !isnan(buckets->values[i * buckets->nr_runs + run]))
			nr = buckets->keys[i].part + 1;
	return nr;
}

bool timeline_of(const struct exports *exports, size_t run, struct timeline *out)
{
	const struct buckets *buckets = &exports->buckets;
	const struct call_tree *tree = &exports->tree;
	size_t nodes = tree->nr;

	*out = (struct timeline){ .nr_threads = count_threads(buckets, run) };
	out->times = arena_alloc(exports->arena,
				 ((size_t)out->nr_threads * nodes + 1) * sizeof(double));
	out->own = arena_alloc(exports->arena, (nodes + 1) * sizeof(double));
	out->total = arena_alloc(exports->arena, (nodes + 1) * sizeof(double));
	out->begin = arena_alloc(exports->arena, (nodes + 1) * sizeof(double));
	out->events = arena_alloc(exports->arena, (2 * nodes + 1) * sizeof(*out->events));
	if (!out->times || !out->own || !out->total || !out->begin || !out->events)
		return false;
	for (size_t i = 0; i < out->nr_threads * nodes; i++)
		out->times[i] = NAN;
	for (size_t i = 0; i < buckets->nr; i++) {
		const struct bucket_key *key = &buckets->keys[i];
		uint32_t node = is_time_of_thread(key) ? tree->of_place[key->place] : CALL_NONE;

		if (node != CALL_NONE && key->part < out->nr_threads)
			out->times[key->part * nodes + node] =
				buckets->values[i * buckets->nr_runs + run];
	}
	return true;
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

	if (timeline->thread >= timeline->nr_threads)
		return false;
	timeline->nr = 0;
	timeline->end_ns = 0;
	call_tree_sum(tree, timeline->times + timeline->thread++ * tree->nr,
		      compared_is_exclusive(MS_METRIC_TIME), timeline->own, timeline->total);
	node = with_time(tree, timeline->total, tree->nr ? 0 : CALL_NONE);
	while (node != CALL_NONE) {
		uint32_t inner = with_time(tree, timeline->total, tree->nodes[node].first);

		timeline->begin[node] = timeline->end_ns;
		add_event(timeline, node, true, timeline->end_ns);
		node = inner != CALL_NONE ? inner : end_nodes(tree, timeline, node);
	}
	return true;
}
