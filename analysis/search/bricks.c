/* SPDX-License-Identifier: Apache-2.0 */
/* The bricks strategies are put together from. */
#include "analysis/search/bricks.h"

#include <stddef.h>

/* More specific properties of one property; more are left out, which no why-axis comes near. */
#define SPECIFIC_MAX 256
#define THREADS_MAX 1024 /* of a region, as candidates of their own */

static int applies(const struct ms_host *host, uint32_t property, uint32_t region)
{
	struct ms_region_info info;

	return host->region_info(host->ctx, region, &info) &&
	       host->property_applies(host->ctx, property, info.kind);
}

void brick_propose(const struct ms_host *host, struct brick_output *out,
		   const struct ms_candidate *candidate)
{
	if (!applies(host, candidate->property, candidate->region) ||
	    host->node_find(host->ctx, candidate->property, candidate->region, candidate->thread,
			    candidate->interval) != MS_NODE_NONE)
		return;
	if (out->nr < out->room)
		out->items[out->nr] = *candidate;
	out->nr++;
}

/* A refinement is about the interval of what it refines. */
static uint32_t interval_of(const struct ms_host *host, uint32_t parent)
{
	struct ms_candidate candidate;

	return parent != MS_NODE_NONE && host->node_candidate(host->ctx, parent, &candidate)
		       ? candidate.interval
		       : MS_INTERVAL_WHOLE;
}

void brick_ask(const struct ms_host *host, struct brick_output *out, uint32_t property,
	       uint32_t region, uint32_t parent)
{
	brick_propose(host, out,
		      &(struct ms_candidate){ .property = property,
					      .region = region,
					      .thread = MS_REQUEST_ALL_THREADS,
					      .interval = interval_of(host, parent),
					      .parent = parent });
}

/*
 * Successor of `region` below `root`, depth first; without its own subregions unless `into`.
 * MS_REGION_NONE: the end.
 */
static uint32_t walk(const struct ms_host *host, uint32_t root, uint32_t region, int into)
{
	uint32_t next = into ? host->region_first_child(host->ctx, region) : MS_REGION_NONE;
	struct ms_region_info info;

	while (next == MS_REGION_NONE && region != root) {
		next = host->region_next_sibling(host->ctx, region);
		if (next == MS_REGION_NONE) {
			if (!host->region_info(host->ctx, region, &info))
				return MS_REGION_NONE;
			region = info.parent;
		}
	}
	return next;
}

/* of regions on the way down, which are asked about */
enum way {
	WAY_ALL,
	WAY_DATA, /* data structures only */
	/* pieces of code only, neither called functions nor what is in them */
	WAY_CODE,
};

struct below {
	uint32_t property, root, parent;
	/* property: where it applies, the search does not descend further */
	uint32_t not_below;
	enum way way;
	/* kinds of regions, as bits: of what is in them only they themselves are asked about */
	unsigned int levels;
};

static int is_on_way(const struct ms_host *host, const struct below *below, uint32_t region)
{
	struct ms_region_info info;

	return below->way == WAY_ALL ||
	       (host->region_info(host->ctx, region, &info) &&
		(below->way == WAY_DATA
			 ? info.kind == MS_DATA_STRUCTURE
			 : info.kind != MS_DATA_STRUCTURE && info.kind != MS_SUB_REGION));
}

static int is_end_of_way(const struct ms_host *host, const struct below *below, uint32_t region)
{
	struct ms_region_info info;

	return applies(host, below->not_below, region) ||
	       (below->way == WAY_CODE && host->region_info(host->ctx, region, &info) &&
		(info.kind == MS_CALL_REGION || info.kind == MS_SUB_REGION));
}

static int is_level(const struct ms_host *host, const struct below *below, uint32_t region)
{
	struct ms_region_info info;

	return host->region_info(host->ctx, region, &info) && below->levels >> info.kind & 1;
}

static int is_open(const struct ms_host *host, const struct below *below, uint32_t region)
{
	uint32_t node = host->node_find(host->ctx, below->property, region, MS_REQUEST_ALL_THREADS,
					interval_of(host, below->parent));
	enum ms_node_state state = node == MS_NODE_NONE ? MS_NODE_UNKNOWN
							: host->node_state(host->ctx, node);

	return state == MS_NODE_PENDING || state == MS_NODE_ACTIVE;
}

/* Asks at the nearest regions below `root` to which `property` applies. */
static void ask_below(const struct ms_host *host, struct brick_output *out,
		      const struct below *below, struct brick_tally *tally)
{
	int into = 1;

	for (uint32_t region = below->root;
	     (region = walk(host, below->root, region, into)) != MS_REGION_NONE;) {
		into = !is_end_of_way(host, below, region);
		if (!into && below->property != below->not_below && below->way != WAY_DATA)
			continue;
		into &= !is_level(host, below, region);
		if (!is_on_way(host, below, region) || !applies(host, below->property, region))
			continue;
		brick_ask(host, out, below->property, region, below->parent);
		tally->nr++;
		tally->open += (size_t)is_open(host, below, region);
		into = 0;
	}
}

static size_t specific_of(const struct ms_host *host, uint32_t property, uint32_t *specific)
{
	size_t nr = host->property_children(host->ctx, property, specific, SPECIFIC_MAX);

	return nr < SPECIFIC_MAX ? nr : SPECIFIC_MAX;
}

/*
 * The bit of the kind if the property or one of the more specific ones can be tested in such
 * regions, so that these are not passed untested.
 */
static unsigned int level_of(const struct ms_host *host, uint32_t property,
			     enum ms_region_kind kind)
{
	uint32_t specific[SPECIFIC_MAX];
	size_t nr = specific_of(host, property, specific);
	int tests = host->property_applies(host->ctx, property, kind);

	for (size_t i = 0; i < nr && !tests; i++)
		tests = host->property_applies(host->ctx, specific[i], kind);
	return (unsigned int)!!tests << kind;
}

/* The same property at the nearest regions inside. */
static void ask_inside(const struct ms_host *host, struct brick_output *out, uint32_t node,
		       const struct ms_candidate *proven, enum way way, struct brick_tally *tally)
{
	const struct below below = { proven->property,
				     proven->region,
				     node,
				     proven->property,
				     way,
				     level_of(host, proven->property, MS_SUB_REGION) };

	ask_below(host, out, &below, tally);
}

/*
 * More specific properties at regions inside; at pieces of code only where they do not apply to the
 * proven one's own region.
 */
static void ask_specific_inside(const struct ms_host *host, struct brick_output *out, uint32_t node,
				const struct ms_candidate *proven, enum way way,
				struct brick_tally *tally)
{
	uint32_t specific[SPECIFIC_MAX];
	size_t nr = specific_of(host, proven->property, specific);
	unsigned int levels = level_of(host, proven->property, MS_SUB_REGION);

	for (size_t i = 0; i < nr; i++) {
		const struct below below = { specific[i], proven->region, node, proven->property,
					     way,         levels };

		if (way == WAY_DATA || !applies(host, specific[i], proven->region))
			ask_below(host, out, &below, tally);
	}
}

static void ask_outermost(const struct ms_host *host, struct brick_output *out, uint32_t property)
{
	const struct below below = { property, MS_REGION_USER, MS_NODE_NONE, property, WAY_ALL, 0 };

	ask_below(host, out, &below, &(struct brick_tally){ 0 });
}

void brick_initial(const struct ms_host *host, struct brick_output *out)
{
	uint32_t roots[SPECIFIC_MAX];
	size_t nr = host->property_roots(host->ctx, roots, SPECIFIC_MAX);

	for (size_t i = 0; i < nr && i < SPECIFIC_MAX; i++) {
		if (applies(host, roots[i], MS_REGION_USER))
			brick_ask(host, out, roots[i], MS_REGION_USER, MS_NODE_NONE);
		else
			ask_outermost(host, out, roots[i]);
	}
}

size_t brick_initial_candidates(void *state, const struct ms_host *host, struct ms_candidate *out,
				size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	brick_initial(host, &output);
	return output.nr;
}

void brick_proven_set(const struct ms_host *host, const uint32_t *proven, size_t nr,
		      brick_refine *refine, struct brick_output *out)
{
	struct ms_candidate candidate;

	for (size_t i = 0; i < nr; i++)
		if (host->node_state(host->ctx, proven[i]) == MS_NODE_TRUE &&
		    host->node_candidate(host->ctx, proven[i], &candidate))
			refine(host, proven[i], &candidate, out);
}

void brick_specific_set(const struct ms_host *host, uint32_t node,
			const struct ms_candidate *proven, struct brick_output *out)
{
	uint32_t specific[SPECIFIC_MAX];
	size_t nr = specific_of(host, proven->property, specific);

	for (size_t i = 0; i < nr; i++)
		brick_ask(host, out, specific[i], proven->region, node);
}

void brick_subregion_set(const struct ms_host *host, uint32_t node,
			 const struct ms_candidate *proven, struct brick_output *out)
{
	ask_inside(host, out, node, proven, WAY_ALL, &(struct brick_tally){ 0 });
}

void brick_specific_subregion_set(const struct ms_host *host, uint32_t node,
				  const struct ms_candidate *proven, struct brick_output *out)
{
	ask_specific_inside(host, out, node, proven, WAY_ALL, &(struct brick_tally){ 0 });
}

static int32_t depth_of(const struct ms_host *host, uint32_t region)
{
	struct ms_region_info info;
	int32_t depth = 0;

	while (host->region_info(host->ctx, region, &info) && info.parent != MS_REGION_NONE) {
		region = info.parent;
		depth++;
	}
	return depth;
}

/* What is nearer to the phase is tried before what is deeper. */
static void set_breadth_first(const struct ms_host *host, struct brick_output *out, size_t first)
{
	for (size_t i = first; i < out->nr && i < out->room; i++)
		out->items[i].priority = -depth_of(host, out->items[i].region);
}

void brick_level_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
		     struct brick_output *out)
{
	size_t first = out->nr;

	brick_subregion_set(host, node, proven, out);
	brick_specific_subregion_set(host, node, proven, out);
	set_breadth_first(host, out, first);
}

void brick_loop_level_set(const struct ms_host *host, uint32_t node,
			  const struct ms_candidate *proven, struct brick_output *out)
{
	uint32_t specific[SPECIFIC_MAX];
	size_t nr = specific_of(host, proven->property, specific), first = out->nr;
	struct below below = { proven->property,
			       proven->region,
			       node,
			       proven->property,
			       WAY_ALL,
			       level_of(host, proven->property, MS_SUB_REGION) |
				       level_of(host, proven->property, MS_LOOP_REGION) };

	ask_below(host, out, &below, &(struct brick_tally){ 0 });
	for (size_t i = 0; i < nr; i++) {
		below.property = specific[i];
		if (!applies(host, specific[i], proven->region))
			ask_below(host, out, &below, &(struct brick_tally){ 0 });
	}
	set_breadth_first(host, out, first);
}

void brick_thread_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
		      struct brick_output *out)
{
	struct ms_candidate candidate = *proven;
	uint32_t threads[THREADS_MAX];
	size_t nr = host->region_threads(host->ctx, proven->region, threads, THREADS_MAX);

	candidate.parent = node;
	for (size_t i = 0; i < nr && i < THREADS_MAX; i++) {
		candidate.thread = threads[i];
		brick_propose(host, out, &candidate);
	}
}

struct brick_tally brick_data_structure_set(const struct ms_host *host, uint32_t node,
					    const struct ms_candidate *proven,
					    struct brick_output *out)
{
	struct brick_tally tally = { 0 };

	if (host->property_applies(host->ctx, proven->property, MS_DATA_STRUCTURE))
		ask_inside(host, out, node, proven, WAY_DATA, &tally);
	else
		ask_specific_inside(host, out, node, proven, WAY_DATA, &tally);
	return tally;
}

struct brick_tally brick_code_set(const struct ms_host *host, uint32_t node,
				  const struct ms_candidate *proven, struct brick_output *out)
{
	struct brick_tally tally = { 0 };

	ask_inside(host, out, node, proven, WAY_CODE, &tally);
	ask_specific_inside(host, out, node, proven, WAY_CODE, &tally);
	return tally;
}

int brick_is_about_data(const struct ms_host *host, const struct ms_candidate *candidate)
{
	struct ms_region_info info;

	return host->region_info(host->ctx, candidate->region, &info) &&
	       info.kind == MS_DATA_STRUCTURE;
}

static int leads_to_data(const struct ms_host *host, uint32_t property)
{
	uint32_t specific[SPECIFIC_MAX];
	size_t nr = specific_of(host, property, specific);
	int leads = host->property_applies(host->ctx, property, MS_DATA_STRUCTURE);

	for (size_t i = 0; i < nr && !leads; i++)
		leads = host->property_applies(host->ctx, specific[i], MS_DATA_STRUCTURE);
	return leads;
}

static int is_among(const uint32_t *nodes, size_t nr, uint32_t node)
{
	for (size_t i = 0; i < nr; i++)
		if (nodes[i] == node)
			return 1;
	return 0;
}

/* Regions are numbered from 0 on, and none goes away. */
static void count_regions(const struct ms_host *host, struct brick_marks *marks)
{
	struct ms_region_info info;

	while (host->region_info(host->ctx, marks->regions, &info))
		marks->regions++;
}

static void refine_answered(const struct ms_host *host, uint32_t node, brick_refine *refine,
			    struct brick_marks *marks, struct brick_output *out)
{
	struct brick_output nowhere = { 0 };
	struct ms_candidate candidate;
	size_t before = out->nr;

	if (!host->node_candidate(host->ctx, node, &candidate) ||
	    !leads_to_data(host, candidate.property) || brick_is_about_data(host, &candidate) ||
	    brick_data_structure_set(host, node, &candidate, &nowhere).open)
		return;
	refine(host, node, &candidate, out);
	if (out->nr == before && node < BRICK_MARKS)
		marks->settled[node] = marks->regions;
}

void brick_answered_set(const struct ms_host *host, const uint32_t *proven, size_t nr,
			brick_refine *refine, struct brick_marks *marks, struct brick_output *out)
{
	struct ms_candidate candidate;

	if (marks->host != host)
		*marks = (struct brick_marks){ .host = host };
	count_regions(host, marks);
	for (uint32_t node = 0; host->node_candidate(host->ctx, node, &candidate); node++)
		if (host->node_state(host->ctx, node) == MS_NODE_TRUE &&
		    !is_among(proven, nr, node) &&
		    (node >= BRICK_MARKS || marks->settled[node] != marks->regions))
			refine_answered(host, node, refine, marks, out);
}

static int is_undecided(const struct ms_host *host, uint32_t node)
{
	enum ms_node_state state = host->node_state(host->ctx, node);

	return state == MS_NODE_PENDING || state == MS_NODE_ACTIVE;
}

/* Refinements have larger numbers than what they refine. */
static void count_refinements(const struct ms_host *host, uint32_t node, size_t *open_out,
			      size_t *true_out)
{
	struct ms_candidate candidate;

	*open_out = *true_out = 0;
	for (uint32_t other = node + 1; host->node_candidate(host->ctx, other, &candidate);
	     other++) {
		if (candidate.parent != node)
			continue;
		*open_out += (size_t)is_undecided(host, other);
		*true_out += host->node_state(host->ctx, other) == MS_NODE_TRUE;
	}
}

static void refine_in_stages(const struct ms_host *host, uint32_t node, brick_refine *refine,
			     struct brick_marks *marks, struct brick_output *out)
{
	struct ms_candidate candidate;
	size_t before = out->nr, open, refined;

	count_refinements(host, node, &open, &refined);
	if (open || !host->node_candidate(host->ctx, node, &candidate))
		return;
	if (!refined)
		refine(host, node, &candidate, out);
	if (out->nr == before && node < BRICK_MARKS)
		marks->settled[node] = marks->regions;
}

void brick_unrefined_set(const struct ms_host *host, brick_refine *refine,
			 struct brick_marks *marks, struct brick_output *out)
{
	struct ms_candidate candidate;

	if (marks->host != host)
		*marks = (struct brick_marks){ .host = host };
	count_regions(host, marks);
	for (uint32_t node = 0; host->node_candidate(host->ctx, node, &candidate); node++)
		if (host->node_state(host->ctx, node) == MS_NODE_TRUE &&
		    (node >= BRICK_MARKS || marks->settled[node] != marks->regions))
			refine_in_stages(host, node, refine, marks, out);
}

int brick_is_hinted(const struct ms_host *host, const struct ms_candidate *candidate)
{
	return host->size > offsetof(struct ms_host, is_hinted) &&
	       host->is_hinted(host->ctx, candidate);
}

/* Whether a function's region stands in `root`, with nothing but call sites in between. */
static int is_called_from(const struct ms_host *host, uint32_t region, uint32_t root)
{
	struct ms_region_info info;

	while (host->region_info(host->ctx, region, &info) && info.parent != root) {
		if (!host->region_info(host->ctx, info.parent, &info) ||
		    info.kind != MS_CALL_REGION)
			return 0;
		region = info.id;
	}
	return 1;
}

/* The property at the function, or the more specific ones, if it is about other regions. */
static void ask_of_function(const struct ms_host *host, struct brick_output *out, uint32_t node,
			    const struct ms_candidate *proven, uint32_t function)
{
	uint32_t specific[SPECIFIC_MAX];
	size_t nr = applies(host, proven->property, function)
			    ? 0
			    : specific_of(host, proven->property, specific);

	brick_ask(host, out, proven->property, function, node);
	for (size_t i = 0; i < nr; i++)
		brick_ask(host, out, specific[i], function, node);
}

void brick_call_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
		    struct brick_output *out)
{
	struct ms_region_info info;
	int into = 1;

	for (uint32_t region = proven->region;
	     (region = walk(host, proven->region, region, into)) != MS_REGION_NONE;) {
		into = host->region_info(host->ctx, region, &info) && info.kind == MS_CALL_REGION;
		if (info.kind == MS_SUB_REGION && is_called_from(host, region, proven->region))
			ask_of_function(host, out, node, proven, region);
	}
}
