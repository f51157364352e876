/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The W3 search model (Hollingsworth and Miller 1993): one refinement after the other, in the order
 * of hints, why, where.
 */
#include "analysis/search/bricks.h"
#include "memsearch/strategy.h"

static struct brick_marks marks;

static void *init(const struct ms_host *host)
{
	(void)host;
	marks = (struct brick_marks){ 0 };
	return &marks;
}

/* Of the candidates from `first` on those that a hint points at, if there are any. */
static int keep_hinted(const struct ms_host *host, struct brick_output *out, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < out->nr; i++)
		if (brick_is_hinted(host, &out->items[i]))
			out->items[kept++] = out->items[i];
	if (kept == first)
		return 0;
	out->nr = kept;
	return 1;
}

/*
 * The next stage: all refinements on all axes are listed; those that are hinted are tried, else
 * those along why, else along where. Without room for the list the engine asks again.
 */
static void refine_one(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
		       struct brick_output *out)
{
	size_t first = out->nr, where;

	brick_specific_set(host, node, proven, out);
	where = out->nr;
	brick_subregion_set(host, node, proven, out);
	brick_specific_subregion_set(host, node, proven, out);
	if (out->nr <= out->room && !keep_hinted(host, out, first) && where > first)
		out->nr = where;
}

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven,
		     size_t nr_proven, struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)proven, (void)nr_proven;
	brick_unrefined_set(host, refine_one, state, &output);
	return output.nr;
}

const struct ms_strategy ms_strategy __attribute__((visibility("default"))) = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "why_where",
	.summary = "one refinement after the other: what a hint points at, then why, then where",
	.describe =
		"Asks every most general property about the whole phase. Of each that is proven it lists the more specific "
		"properties of the region and the regions and data structures inside, and tries those that a hint of the property "
		"points at; if none of them is true the other properties, then the other regions. The first that are true are "
		"refined in their place, so that it takes less data than property_refine and finds what lies on the paths it takes. "
		"Several bottlenecks are followed side by side. The third axis, when, is the engine's: intervals, phases, and the recent "
		"window over which everything is tested again. (The W3 search model of Hollingsworth and Miller, Dynamic Control of "
		"Performance Monitoring on Large Scale Parallel Systems.)",
	.init = init,
	.initial = brick_initial_candidates,
	.refine = refine,
};
