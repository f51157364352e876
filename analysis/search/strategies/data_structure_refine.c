/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Periscope's data structure refine: from a region to the data structures it uses, then to the
 * regions inside.
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

static void refine_code(const struct ms_host *host, uint32_t node,
			const struct ms_candidate *proven, struct brick_output *out)
{
	if (!brick_code_set(host, node, proven, out).nr)
		brick_call_set(host, node, proven, out);
}

/* What is proven of a data structure is final. */
static void refine_data(const struct ms_host *host, uint32_t node,
			const struct ms_candidate *proven, struct brick_output *out)
{
	size_t before = out->nr;

	if (brick_is_about_data(host, proven))
		return;
	if (!brick_data_structure_set(host, node, proven, out).open && out->nr == before)
		refine_code(host, node, proven, out);
}

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven,
		     size_t nr_proven, struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	brick_proven_set(host, proven, nr_proven, refine_data, &output);
	brick_answered_set(host, proven, nr_proven, refine_code, state, &output);
	return output.nr;
}

const struct ms_strategy ms_strategy __attribute__((visibility("default"))) = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "data_structure_refine",
	.summary = "from regions to the data structures they use, then to the regions inside",
	.describe =
		"Asks every most general property about the whole phase. Where one is proven, it asks about the data "
		"structures that the region uses; when these have their answers, about the regions inside; where there "
		"are neither, about the functions called there, each once. What is proven of a data structure is final. "
		"It asks fewer questions than property_refine, as it does not look for more specific properties of the "
		"same region. (Data Structure Refine of Gerndt and Kereku, Search Strategies for Automatic Performance "
		"Analysis Tools.)",
	.init = init,
	.initial = brick_initial_candidates,
	.refine = refine,
};
