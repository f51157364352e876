/* SPDX-License-Identifier: Apache-2.0 */
/* An example of a search strategy made of bricks: what is proven is refined by more specific properties and by the regions inside, those with most time first.
 *     cc -shared -fPIC -o levels.so levels.c $(pkg-config --cflags --libs memsearch) && memsearch run --strategy ./levels.so -- ./program */
/* clang-format off */
#include <memsearch/bricks.h>
#include <memsearch/metric.h>
#include <memsearch/strategy.h>

/* Candidates from `first` on: the milliseconds that thread 0 takes in the region are the priority. */
static void long_ones_first(const struct ms_host *host, struct brick_output *out, size_t first)
{
	for (size_t i = first; i < out->nr && i < out->room; i++) {
		struct ms_reading time = host->reading(host->ctx, out->items[i].region, 0, MS_METRIC_TIME);

		if (time.missing == MS_PRESENT)
			out->items[i].priority = (int32_t)(time.value / 1e6);
	}
}

static void refine_one(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out)
{
	size_t first = out->nr;

	brick_specific_set(host, node, proven, out);
	brick_subregion_set(host, node, proven, out);
	brick_specific_subregion_set(host, node, proven, out);
	long_ones_first(host, out, first);
}

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven, size_t nr, struct ms_candidate *out, size_t room)
{
	struct brick_output output = { out, 0, room };

	brick_proven_set(host, proven, nr, refine_one, &output);
	return output.nr;
}

const struct ms_strategy ms_strategy = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(ms_strategy),
	.name = "levels",
	.summary = "regions that take longest first",
	.describe = "Refines by more specific properties and by the regions inside, those first that take thread 0 longest.",
	.initial = brick_initial_candidates,
	.refine = refine,
};
