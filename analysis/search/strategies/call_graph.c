/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paradyn's default search: along the regions, level by level, below what is true; the background
 * search of Deep Start.
 */
#include "analysis/search/bricks.h"
#include "memsearch/strategy.h"

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven,
		     size_t nr_proven, struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	brick_proven_set(host, proven, nr_proven, brick_level_set, &output);
	return output.nr;
}

const struct ms_strategy ms_strategy __attribute__((visibility("default"))) = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "call_graph",
	.summary = "from the phase down the regions, level by level, below what is true",
	.describe =
		"Asks every most general property about the whole phase, then, where it is true, about the regions inside, one level at a "
		"time; what is false is not refined. It does not ask for more specific properties of the same region, only at regions to "
		"which the general one does not apply. A bottleneck below a region in which it does not show is missed. (The search of "
		"Paradyn's Performance Consultant, which runs in the background of Deep Start: Roth and Miller, Deep Start.)",
	.initial = brick_initial_candidates,
	.refine = refine,
};
