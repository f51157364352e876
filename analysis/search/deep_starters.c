/* SPDX-License-Identifier: Apache-2.0 */
/* Deep starters: which regions are tested before the levels between, by samples. */
#include "analysis/search/deep_starters.h"

#include <stdbool.h>

#include "analysis/search/count_graph.h"

#define THREADS_MAX 1024 /* of a region; samples of more are not counted */
#define STACK_MAX 64     /* regions around a region; deeper ones are left out */
#define PLACES_MAX 64    /* deep starters of one node, and regions between */
#define SPECIFIC_MAX 256 /* more specific properties */

/* Regions in which threads compute; waiting belongs to the region around. */
#define KINDS \
	(1u << MS_SERIAL_REGION | 1u << MS_SUB_REGION | 1u << MS_PARALLEL_REGION | \
	 1u << MS_DO_REGION | 1u << MS_SECTIONS_REGION | 1u << MS_SINGLE_REGION | \
	 1u << MS_MASTER_REGION | 1u << MS_WORKSHARE_REGION | 1u << MS_TASK_REGION)

struct deep_starters {
	struct count_graph *graph;
	bool had_samples; /* nodes proven so far have been processed */
};

_Static_assert(COUNT_GRAPH_ANY == MS_REQUEST_ALL_THREADS, "threads of candidates are passed on");

void *deep_starters_init(const struct ms_host *host)
{
	struct deep_starters *starters;

	if (host->size < offsetof(struct ms_host, deep_threshold) + sizeof(host->deep_threshold))
		return NULL;
	starters = host->allocate(host->ctx, sizeof(*starters));
	if (starters)
		starters->graph = count_graph_new(
			&(struct count_memory){ host->allocate, host->ctx });
	if (!starters || !starters->graph)
		return NULL;
	host->by_product(host->ctx, MS_METRIC_SAMPLES, KINDS);
	return starters;
}

/* ------------------------------------------------------------------ the region count graph */

static size_t threads_of(const struct ms_host *host, uint32_t region, uint32_t *threads)
{
	size_t nr = host->region_threads(host->ctx, region, threads, THREADS_MAX);

	return nr < THREADS_MAX ? nr : THREADS_MAX;
}

/* 0: none, or not known */
static double samples_of(const struct ms_host *host, uint32_t region, uint32_t thread)
{
	struct ms_reading reading = host->reading(host->ctx, region, thread, MS_METRIC_SAMPLES);

	return reading.missing == MS_PRESENT && reading.value > 0 ? reading.value : 0;
}

/* Of a construct those in no function called there: these are regions of their own. */
static double own_samples_of(const struct ms_host *host, uint32_t region, uint32_t thread)
{
	double samples = samples_of(host, region, thread);
	struct ms_region_info info;

	for (uint32_t child = samples > 0 ? host->region_first_child(host->ctx, region)
					  : MS_REGION_NONE;
	     child != MS_REGION_NONE; child = host->region_next_sibling(host->ctx, child))
		if (host->region_info(host->ctx, child, &info) && info.kind == MS_SUB_REGION)
			samples -= samples_of(host, child, thread);
	return samples;
}

/* The regions around, outermost first, and the region itself; 0: more than there is room for. */
static size_t stack_of(const struct ms_host *host, uint32_t region, uint32_t *stack)
{
	struct ms_region_info info;
	size_t depth = 0, at;

	for (uint32_t id = region; host->region_info(host->ctx, id, &info); id = info.parent)
		depth++;
	if (depth > STACK_MAX)
		return 0;
	at = depth;
	for (uint32_t id = region; at && host->region_info(host->ctx, id, &info); id = info.parent)
		stack[--at] = id;
	return depth;
}

/* A thread that changes its NUMA node has none. */
static void bind_threads(const struct ms_host *host, struct count_graph *graph)
{
	uint32_t threads[THREADS_MAX];
	size_t nr = threads_of(host, MS_REGION_USER, threads);

	for (size_t i = 0; i < nr; i++) {
		struct ms_reading node = host->reading(host->ctx, MS_REGION_USER, threads[i],
						       MS_METRIC_NODE);

		if (node.missing == MS_PRESENT && node.value >= 0)
			count_graph_bind(graph, threads[i], (uint32_t)node.value);
	}
}

/* Whether samples were taken at all, before every region is asked. */
static bool is_sampled(const struct ms_host *host)
{
	uint32_t threads[THREADS_MAX];
	size_t nr = threads_of(host, MS_REGION_USER, threads);

	for (size_t i = 0; i < nr; i++)
		if (host->reading(host->ctx, MS_REGION_USER, threads[i], MS_METRIC_SAMPLES)
			    .missing == MS_PRESENT)
			return true;
	return false;
}

/*
 * Each sample is counted in the innermost region alone; region 0 has the sum of all, and a construct
 * those of the functions called there. False: there are none.
 */
static bool count_samples(const struct ms_host *host, struct count_graph *graph)
{
	uint32_t threads[THREADS_MAX], stack[STACK_MAX];
	struct ms_region_info info;
	bool any = false;

	count_graph_clear(graph);
	for (uint32_t region = MS_REGION_USER + 1; host->region_info(host->ctx, region, &info);
	     region++) {
		size_t nr = KINDS >> info.kind & 1 ? threads_of(host, region, threads) : 0,
		       depth = nr ? stack_of(host, region, stack) : 0;

		for (size_t i = 0; i < nr && depth; i++) {
			double samples = own_samples_of(host, region, threads[i]);

			any |= samples > 0 &&
			       count_graph_add(graph, stack, depth, threads[i], samples);
		}
	}
	if (any)
		bind_threads(host, graph);
	return any;
}

/* ------------------------------------------------------------------ candidates */

static size_t specific_of(const struct ms_host *host, uint32_t property, uint32_t *specific)
{
	size_t nr = host->property_children(host->ctx, property, specific, SPECIFIC_MAX);

	return nr < SPECIFIC_MAX ? nr : SPECIFIC_MAX;
}

static void add_once(uint32_t *items, size_t *nr, uint32_t item)
{
	for (size_t i = 0; i < *nr; i++)
		if (items[i] == item)
			return;
	if (*nr < SPECIFIC_MAX)
		items[(*nr)++] = item;
}

/* Of `nr` properties those that apply to the kind, in their order; returns how many do. */
static size_t keep_applying(const struct ms_host *host, enum ms_region_kind kind,
			    uint32_t *properties, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (host->property_applies(host->ctx, properties[i], kind)) {
			uint32_t property = properties[i];

			properties[i] = properties[kept];
			properties[kept++] = property;
		}
	return kept;
}

/*
 * The property, or the nearest more specific ones, as far as they apply to the kind. Level by level
 * down the property tree, which has no cycle.
 */
static size_t hypotheses_of(const struct ms_host *host, uint32_t property, enum ms_region_kind kind,
			    uint32_t *out)
{
	uint32_t specific[SPECIFIC_MAX], next[SPECIFIC_MAX];
	size_t nr = 1, kept;

	out[0] = property;
	while (nr && !(kept = keep_applying(host, kind, out, nr))) {
		size_t nr_next = 0;

		for (size_t i = 0; i < nr; i++) {
			size_t nr_specific = specific_of(host, out[i], specific);

			for (size_t k = 0; k < nr_specific; k++)
				add_once(next, &nr_next, specific[k]);
		}
		for (size_t i = 0; i < nr_next; i++)
			out[i] = next[i];
		nr = nr_next;
	}
	return nr ? kept : 0;
}

struct trigger {
	const struct ms_host *host;
	uint32_t node;
	const struct ms_candidate *proven;
};

static bool is_testable(void *ctx, uint32_t region)
{
	const struct trigger *trigger = ctx;
	uint32_t properties[SPECIFIC_MAX];
	struct ms_region_info info;

	return trigger->host->region_info(trigger->host->ctx, region, &info) &&
	       hypotheses_of(trigger->host, trigger->proven->property, info.kind, properties);
}

/* The focus stays but for the code. */
static void propose(const struct trigger *trigger, uint32_t region, int32_t priority,
		    struct brick_output *out)
{
	const struct ms_host *host = trigger->host;
	uint32_t properties[SPECIFIC_MAX];
	struct ms_region_info info;
	size_t nr;

	if (!host->region_info(host->ctx, region, &info))
		return;
	nr = hypotheses_of(host, trigger->proven->property, info.kind, properties);
	for (size_t i = 0; i < nr; i++)
		brick_propose(host, out,
			      &(struct ms_candidate){ .property = properties[i],
						      .region = region,
						      .thread = trigger->proven->thread,
						      .interval = trigger->proven->interval,
						      .parent = trigger->node,
						      .priority = priority });
}

static void start_deep(const struct ms_host *host, struct count_graph *graph, uint32_t node,
		       const struct ms_candidate *proven, struct brick_output *out)
{
	uint32_t starters[PLACES_MAX], between[PLACES_MAX];
	struct trigger trigger = { host, node, proven };
	const struct count_choice choice = { .focus = { COUNT_GRAPH_ANY, proven->thread },
					     .threshold = host->deep_threshold(host->ctx),
					     .below = proven->region,
					     .is_eligible = is_testable,
					     .ctx = &trigger };
	size_t nr = count_graph_choose(graph, &choice, starters, PLACES_MAX);

	nr = nr < PLACES_MAX ? nr : PLACES_MAX;
	for (size_t i = 0; i < nr; i++)
		propose(&trigger, starters[i], DEEP_PRIORITY_STARTER, out);
	for (size_t i = 0; i < nr; i++) {
		size_t nr_between = count_graph_path(graph, proven->region, starters[i], between,
						     PLACES_MAX);

		for (size_t k = 0; k < nr_between && k < PLACES_MAX; k++)
			propose(&trigger, between[k], DEEP_PRIORITY_CONNECTING, out);
	}
}

static void start_below(const struct ms_host *host, struct count_graph *graph, uint32_t node,
			struct brick_output *out)
{
	struct ms_candidate candidate;

	if (host->node_state(host->ctx, node) == MS_NODE_TRUE &&
	    host->node_candidate(host->ctx, node, &candidate) &&
	    !brick_is_about_data(host, &candidate))
		start_deep(host, graph, node, &candidate, out);
}

/* False: there are no samples yet. */
static bool start(const struct ms_host *host, const struct deep_starters *starters,
		  const uint32_t *proven, size_t nr, struct brick_output *out)
{
	struct ms_candidate candidate;

	if (!starters || (!nr && starters->had_samples) || !is_sampled(host) ||
	    !count_samples(host, starters->graph))
		return false;
	if (starters->had_samples)
		for (size_t i = 0; i < nr; i++)
			start_below(host, starters->graph, proven[i], out);
	else
		for (uint32_t node = 0; host->node_candidate(host->ctx, node, &candidate); node++)
			start_below(host, starters->graph, node, out);
	return true;
}

size_t deep_starters_refine(void *state, const struct ms_host *host, const uint32_t *proven,
			    size_t nr, brick_refine *background, struct ms_candidate *out,
			    size_t room)
{
	struct deep_starters *starters = state;
	struct brick_output output = { out, 0, room };
	bool has_samples = start(host, starters, proven, nr, &output);

	brick_proven_set(host, proven, nr, background, &output);
	/* without room the engine asks once more */
	if (has_samples && output.nr <= room)
		starters->had_samples = true;
	return output.nr;
}
