/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Periscope's property refine: from a proven property to more specific ones, and to where it holds.
 */
#include "analysis/search/bricks.h"
#include "memsearch/strategy.h"

/* Why before where: the engine tries candidates of one priority in the order why, where. */
static void refine_one(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
		       struct brick_output *out)
{
	brick_specific_set(host, node, proven, out);
	brick_subregion_set(host, node, proven, out);
	brick_specific_subregion_set(host, node, proven, out);
}

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven,
		     size_t nr_proven, struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	brick_proven_set(host, proven, nr_proven, refine_one, &output);
	return output.nr;
}

const struct ms_strategy ms_strategy __attribute__((visibility("default"))) = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "property_refine",
	.summary =
		"from a proven property to more specific ones, down to the regions where it holds",
	.describe =
		"Asks every most general property about the whole phase. Where one is proven, it asks its more "
		"specific properties about the same region, and itself about the regions inside, so that a chain such "
		"as phase, parallel region, loop grows until nothing more specific is true. Properties that are about "
		"single threads name them. (Property Refine of Gerndt and Kereku, Search Strategies for Automatic "
		"Performance Analysis Tools, refined along the regions, too.)",
	.initial = brick_initial_candidates,
	.refine = refine,
};
