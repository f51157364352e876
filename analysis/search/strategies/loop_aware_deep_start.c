/* SPDX-License-Identifier: Apache-2.0 */
/* Deep Start over the loop-aware search: a region that samples point at, then its loops. */
#include "analysis/search/deep_starters.h"
#include "memsearch/strategy.h"

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven,
		     size_t nr_proven, struct ms_candidate *out, size_t room)
{
	return deep_starters_refine(state, host, proven, nr_proven, brick_loop_level_set, out,
				    room);
}

const struct ms_strategy ms_strategy __attribute__((visibility("default"))) = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "loop_aware_deep_start",
	.summary = "deep_start with loop_aware in its background",
	.describe =
		"Tests the deepest regions with most CPU-clock samples first, as deep_start, and searches as loop_aware otherwise: in a region "
		"that was found by its samples, and is true, its loops are next. (Collins and Miller propose to combine both.)",
	.init = deep_starters_init,
	.initial = brick_initial_candidates,
	.refine = refine,
};
