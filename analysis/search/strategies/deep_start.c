/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deep Start (Roth and Miller 2002): the search of call_graph, and before it the regions in which
 * most samples are taken.
 */
#include "analysis/search/deep_starters.h"
#include "memsearch/strategy.h"

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven,
		     size_t nr_proven, struct ms_candidate *out, size_t room)
{
	return deep_starters_refine(state, host, proven, nr_proven, brick_level_set, out, room);
}

const struct ms_strategy ms_strategy __attribute__((visibility("default"))) = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "deep_start",
	.summary = "call_graph, but first the deepest regions with most CPU samples",
	.describe =
		"Searches as call_graph, level by level, and where something is true it first tests the same in the deepest regions inside "
		"with a fifth or more of the CPU-clock samples, then in the regions between. So it also finds bottlenecks below regions in "
		"which they do not show. Samples only choose what is tested; where they cannot be taken it is call_graph. (Roth and Miller, "
		"Deep Start: A Hybrid Strategy for Automated Performance Problem Searches.)",
	.init = deep_starters_init,
	.initial = brick_initial_candidates,
	.refine = refine,
};
