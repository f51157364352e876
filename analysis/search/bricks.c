/* SPDX-License-Identifier: Apache-2.0 */
/* The bricks strategies are put together from. */
#include "analysis/search/bricks.h"

/* More specific properties of one property; more are left out, which no why-axis comes near. */
#define SPECIFIC_MAX 256

static int applies(const struct ms_host *host, uint32_t property, uint32_t region)
{
	struct ms_region_info info;

	return host->region_info(host->ctx, region, &info) && host->property_applies(host->ctx, property, info.kind);
}

void brick_ask(const struct ms_host *host, struct brick_output *out, uint32_t property, uint32_t region, uint32_t parent)
{
	if (!applies(host, property, region))
		return;
	if (host->node_find(host->ctx, property, region, MS_REQUEST_ALL_THREADS) != MS_NODE_NONE)
		return;
	if (out->nr < out->room)
		out->items[out->nr] = (struct ms_candidate){
			.property = property, .region = region, .thread = MS_REQUEST_ALL_THREADS, .parent = parent,
		};
	out->nr++;
}

/* Successor of `region` below `root`, depth first; without its own subregions unless `into`. MS_REGION_NONE: the end. */
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

/* Asks at the nearest regions below `root` to which `property` applies, not looking below those where `not_below` applies. */
static void ask_below(const struct ms_host *host, struct brick_output *out, uint32_t property, uint32_t root, uint32_t parent,
		      uint32_t not_below)
{
	int into = 1;

	for (uint32_t region = root; (region = walk(host, root, region, into)) != MS_REGION_NONE;) {
		into = !applies(host, not_below, region);
		if (!into && property != not_below)
			continue;
		brick_ask(host, out, property, region, parent);
		into = into && !applies(host, property, region);
	}
}

void brick_initial(const struct ms_host *host, struct brick_output *out)
{
	uint32_t roots[SPECIFIC_MAX];
	size_t nr = host->property_roots(host->ctx, roots, SPECIFIC_MAX);

	for (size_t i = 0; i < nr && i < SPECIFIC_MAX; i++) {
		if (applies(host, roots[i], MS_REGION_USER))
			brick_ask(host, out, roots[i], MS_REGION_USER, MS_NODE_NONE);
		else
			ask_below(host, out, roots[i], MS_REGION_USER, MS_NODE_NONE, roots[i]);
	}
}

void brick_proven_set(const struct ms_host *host, const uint32_t *proven, size_t nr, brick_refine *refine, struct brick_output *out)
{
	struct ms_candidate candidate;

	for (size_t i = 0; i < nr; i++)
		if (host->node_state(host->ctx, proven[i]) == MS_NODE_TRUE && host->node_candidate(host->ctx, proven[i], &candidate))
			refine(host, proven[i], &candidate, out);
}

void brick_specific_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out)
{
	uint32_t specific[SPECIFIC_MAX];
	size_t nr = host->property_children(host->ctx, proven->property, specific, SPECIFIC_MAX);

	for (size_t i = 0; i < nr && i < SPECIFIC_MAX; i++)
		brick_ask(host, out, specific[i], proven->region, node);
}

void brick_subregion_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out)
{
	ask_below(host, out, proven->property, proven->region, node, proven->property);
}

void brick_specific_subregion_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out)
{
	uint32_t specific[SPECIFIC_MAX];
	size_t nr = host->property_children(host->ctx, proven->property, specific, SPECIFIC_MAX);

	for (size_t i = 0; i < nr && i < SPECIFIC_MAX; i++)
		if (!applies(host, specific[i], proven->region))
			ask_below(host, out, specific[i], proven->region, node, proven->property);
}

/* Whether a function's region stands below a call site in `root`, with nothing but call sites in between. */
static int is_called_from(const struct ms_host *host, uint32_t region, uint32_t root)
{
	struct ms_region_info info;
	int called = 0;

	while (host->region_info(host->ctx, region, &info) && info.parent != root) {
		if (!host->region_info(host->ctx, info.parent, &info) || info.kind != MS_CALL_REGION)
			return 0;
		called = 1;
		region = info.id;
	}
	return called;
}

void brick_call_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out)
{
	struct ms_region_info info;
	int into = 1;

	for (uint32_t region = proven->region; (region = walk(host, proven->region, region, into)) != MS_REGION_NONE;) {
		into = host->region_info(host->ctx, region, &info) && info.kind == MS_CALL_REGION;
		if (info.kind == MS_SUB_REGION && is_called_from(host, region, proven->region))
			brick_ask(host, out, proven->property, region, node);
	}
}
