/* SPDX-License-Identifier: Apache-2.0 */
/* What all exports share: series of values by node of the call tree. */
#define _GNU_SOURCE /* qsort_r */
#include "analysis/differential/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"

static const struct export_format formats[] = {
	{ "extrap", export_extrap, false, PROFILE_BY_ARRAY, EXPORT_EXTRAP_BEGIN },
	{ "hatchet", export_hatchet, true, PROFILE_BY_ARRAY, EXPORT_HATCHET_BEGIN },
	{ "csv", export_csv, false, PROFILE_BY_ARRAY, EXPORT_CSV_BEGIN },
	{ "speedscope", export_speedscope, true, PROFILE_BY_THREAD, EXPORT_SPEEDSCOPE_BEGIN },
	{ "perfetto", export_perfetto, true, PROFILE_BY_THREAD, EXPORT_PERFETTO_BEGIN },
};

const struct export_format *export_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

const char *export_metric(struct arena *arena, uint32_t metric)
{
	const struct compared_metric *of = compared_metric(metric);

	return of->rung == MS_RUNG_SIMULATED ? arena_printf(arena, "%s [simulated]", of->name)
					     : of->name;
}

const struct profile_place *export_place(const struct exports *exports, uint32_t place)
{
	const struct matched_place *of;

	if (place == PROFILE_NONE)
		return NULL;
	of = &exports->match->places[place];
	return of->of[MATCH_NEW] ? of->of[MATCH_NEW] : of->of[MATCH_BASE];
}

/* ------------------------------------------------------------------ names */

static int by_name(const void *left, const void *right, void *nodes)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct call_node *of_a = (struct call_node *)nodes + a,
			       *of_b = (struct call_node *)nodes + b;
	int order = (of_a->parent > of_b->parent) - (of_a->parent < of_b->parent);

	order = order ? order : strcmp(of_a->name, of_b->name);
	return order ? order : (a > b) - (a < b);
}

/* Copies of a loop that a compiler makes have one name. */
static bool set_names(struct exports *exports)
{
	const struct call_tree *tree = &exports->tree;
	uint32_t *order = arena_alloc(exports->arena, tree->nr * sizeof(*order));
	size_t namesakes = 0;

	exports->names = arena_alloc(exports->arena, tree->nr * sizeof(*exports->names));
	if (!order || !exports->names)
		return false;
	for (uint32_t i = 0; i < tree->nr; i++)
		order[i] = i;
	qsort_r(order, tree->nr, sizeof(*order), by_name, tree->nodes);
	for (size_t i = 0; i < tree->nr; i++) {
		const struct call_node *node = &tree->nodes[order[i]],
				       *before = i ? &tree->nodes[order[i - 1]] : NULL;

		namesakes = before && before->parent == node->parent &&
					    !strcmp(before->name, node->name)
				    ? namesakes + 1
				    : 0;
		exports->names[order[i]] = namesakes ? arena_printf(exports->arena, "%s #%zu",
								    node->name, namesakes + 1)
						     : node->name;
		if (!exports->names[order[i]])
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------ series */

static uint32_t node_of(struct exports *exports, size_t bucket)
{
	const struct bucket_key *key = &exports->buckets.keys[bucket];

	return key->part == PROFILE_NONE ? call_tree_node(&exports->tree, key->place, key->array)
					 : CALL_NONE;
}

static bool add_nodes(struct exports *exports)
{
	for (size_t i = 0; i < exports->buckets.nr; i++)
		node_of(exports, i);
	return !exports->tree.failed;
}

static int by_metric(const void *left, const void *right, void *keys)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right,
		 of_a = ((struct bucket_key *)keys)[a].metric,
		 of_b = ((struct bucket_key *)keys)[b].metric;

	return of_a != of_b ? (of_a > of_b) - (of_a < of_b) : (a > b) - (a < b);
}

static int by_node(const void *left, const void *right)
{
	const struct export_series *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->metric > b->metric) - (a->metric < b->metric);
}

/* Values of one metric in all nodes, by run: [nr_runs][nodes]. */
struct layer {
	double *values, *own, *total;
};

static bool new_layer(const struct exports *exports, struct layer *layer)
{
	size_t bytes = exports->buckets.nr_runs * exports->tree.nr * sizeof(double) + 1;

	layer->values = arena_alloc(exports->arena, bytes);
	layer->own = arena_alloc(exports->arena, bytes);
	layer->total = arena_alloc(exports->arena, bytes);
	return layer->values && layer->own && layer->total;
}

static void fill_layer(struct exports *exports, struct layer *layer, const uint32_t *of_metric,
		       size_t nr)
{
	size_t nr_runs = exports->buckets.nr_runs, nodes = exports->tree.nr;
	bool exclusive = compared_is_exclusive(
		compared_metric(exports->buckets.keys[of_metric[0]].metric)->of[0]);

	for (size_t i = 0; i < nr_runs * nodes; i++)
		layer->values[i] = NAN;
	for (size_t i = 0; i < nr; i++) {
		uint32_t node = node_of(exports, of_metric[i]);

		for (size_t run = 0; run < nr_runs && node != CALL_NONE; run++)
			layer->values[run * nodes + node] =
				exports->buckets.values[of_metric[i] * nr_runs + run];
	}
	for (size_t run = 0; run < nr_runs; run++)
		call_tree_sum(&exports->tree, layer->values + run * nodes, exclusive,
			      layer->own + run * nodes, layer->total + run * nodes);
}

static bool add_series(struct exports *exports, const struct layer *layer, uint32_t metric,
		       uint32_t node)
{
	size_t nr_runs = exports->buckets.nr_runs, nodes = exports->tree.nr;
	struct export_series series = { .node = node, .metric = metric };
	bool any = false;

	for (size_t run = 0; run < nr_runs; run++)
		any |= !isnan(layer->total[run * nodes + node]);
	if (!any)
		return true;
	series.own = arena_alloc(exports->arena, nr_runs * sizeof(double));
	series.total = arena_alloc(exports->arena, nr_runs * sizeof(double));
	if (!series.own || !series.total ||
	    !ARENA_GROW(exports->arena, exports->series, exports->nr_series, exports->room_series))
		return false;
	for (size_t run = 0; run < nr_runs; run++) {
		series.own[run] = layer->own[run * nodes + node];
		series.total[run] = layer->total[run * nodes + node];
	}
	exports->series[exports->nr_series++] = series;
	return true;
}

static bool add_all_series(struct exports *exports)
{
	const struct buckets *buckets = &exports->buckets;
	uint32_t *order = arena_alloc(exports->arena, (buckets->nr + 1) * sizeof(*order));
	struct layer layer;

	if (!order || !new_layer(exports, &layer))
		return false;
	for (uint32_t i = 0; i < buckets->nr; i++)
		order[i] = i;
	qsort_r(order, buckets->nr, sizeof(*order), by_metric, buckets->keys);
	for (size_t i = 0, end; i < buckets->nr; i = end) {
		uint32_t metric = buckets->keys[order[i]].metric;

		for (end = i; end < buckets->nr && buckets->keys[order[end]].metric == metric;)
			end++;
		fill_layer(exports, &layer, order + i, end - i);
		for (uint32_t node = 0; node < exports->tree.nr; node++)
			if (!add_series(exports, &layer, metric, node))
				return false;
	}
	if (exports->nr_series)
		qsort(exports->series, exports->nr_series, sizeof(*exports->series), by_node);
	return true;
}

bool exports_of(struct arena *arena, const struct match *match, struct exports *out)
{
	*out = (struct exports){ .arena = arena, .match = match };
	return buckets_fill(arena, match, &out->buckets) &&
	       call_tree_build(arena, match, &out->tree) && add_nodes(out) && set_names(out) &&
	       add_all_series(out);
}

/* ------------------------------------------------------------------ settings */

static bool is_listed(const char *const *names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

const char **export_settings(const struct exports *exports, size_t *nr_out)
{
	const char **names = arena_alloc(exports->arena, 1);
	size_t room = 0;

	*nr_out = 0;
	for (size_t i = 0; i < exports->match->nr_runs; i++) {
		const struct profile *profile = exports->match->runs[i].profile;

		for (size_t k = 0; k < profile->nr_settings; k++) {
			const char *name = profile->settings[k].name;

			if (is_listed(names, *nr_out, name))
				continue;
			if (!ARENA_GROW(exports->arena, names, *nr_out, room))
				return NULL;
			names[(*nr_out)++] = name;
		}
	}
	return names;
}
