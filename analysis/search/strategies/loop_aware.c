/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop-aware search of Paradyn (Collins and Miller 2005): along regions and natural loops, level
 * by level, below what is true.
 */
#include "analysis/search/bricks.h"
#include "memsearch/strategy.h"

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven,
		     size_t nr_proven, struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	brick_proven_set(host, proven, nr_proven, brick_loop_level_set, &output);
	return output.nr;
}

const struct ms_strategy ms_strategy __attribute__((visibility("default"))) = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "loop_aware",
	.summary = "level by level as call_graph, with natural loops as levels",
	.describe =
		"Searches as call_graph, but what is inside a natural loop is tested only when the loop is a bottleneck: of a region that is "
		"true the regions and data structures in no loop, and the outermost loops; of a loop that is true what is directly in it, and "
		"the loops directly nested. A loop that is false ends the path with all inside. Loops are levels where the property has a form "
		"for loops, which read recorded accesses, or the time of the loop: that is measured with this strategy only. (Collins and Miller, A Loop-Aware Search Strategy for Automated Performance "
		"Analysis.)",
	.initial = brick_initial_candidates,
	.refine = refine,
};
