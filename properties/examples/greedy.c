/* SPDX-License-Identifier: Apache-2.0 */
/* An example of a search strategy: refines by more specific properties, and in the region inside that takes thread 0 longest.
 *     cc -shared -fPIC -o greedy.so greedy.c && memsearch search --strategy ./greedy.so RECORD */
/* clang-format off */
#include <memsearch/metric.h>
#include <memsearch/strategy.h>

/* Returns how many there are with this one; beyond `room` they are only counted, and memsearch asks again with more room. */
static size_t add(struct ms_candidate *out, size_t room, size_t nr, uint32_t property, uint32_t region, uint32_t parent)
{
	if (nr < room)
		out[nr] = (struct ms_candidate){ .property = property, .region = region, .thread = MS_REQUEST_ALL_THREADS, .parent = parent };
	return nr + 1;
}

static uint32_t longest_inside(const struct ms_host *host, uint32_t region)
{
	uint32_t longest = region;
	double most = 0;

	for (uint32_t id = host->region_first_child(host->ctx, region); id != MS_REGION_NONE; id = host->region_next_sibling(host->ctx, id)) {
		struct ms_reading time = host->reading(host->ctx, id, 0, MS_METRIC_TIME);

		if (time.missing == MS_PRESENT && time.value > most)
			most = time.value, longest = id;
	}
	return longest;
}

static size_t initial(void *state, const struct ms_host *host, struct ms_candidate *out, size_t room)
{
	uint32_t roots[256];
	size_t nr_roots = host->property_roots(host->ctx, roots, 256), nr = 0;

	for (size_t i = 0; i < nr_roots && i < 256; i++)
		nr = add(out, room, nr, roots[i], MS_REGION_USER, MS_NODE_NONE);
	return nr;
}

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven, size_t nr_proven, struct ms_candidate *out, size_t room)
{
	struct ms_candidate node;
	uint32_t specific[256];
	size_t nr = 0;

	for (size_t i = 0; i < nr_proven && host->node_candidate(host->ctx, proven[i], &node); i++) {
		uint32_t inside = longest_inside(host, node.region);
		size_t nr_specific = host->property_children(host->ctx, node.property, specific, 256);

		nr = add(out, room, nr, node.property, inside, proven[i]);
		for (size_t k = 0; k < nr_specific && k < 256; k++)
			nr = add(out, room, add(out, room, nr, specific[k], node.region, proven[i]), specific[k], inside, proven[i]);
	}
	return nr;
}

const struct ms_strategy ms_strategy = { .abi = MS_STRATEGY_ABI, .size = sizeof(ms_strategy), .name = "greedy", .summary = "the region that takes longest",
	.describe = "Refines by more specific properties, and in the region inside that takes longest.", .initial = initial, .refine = refine };
