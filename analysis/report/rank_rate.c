/* SPDX-License-Identifier: Apache-2.0 */
/* Findings by the rate that they have, instead of their share of time. */
#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/finding.h"
#include "analysis/report/rank.h"

struct ranked {
	double rate;
	uint32_t id, position;
};

static int higher_rate(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;

	if (one->rate < other->rate || one->rate > other->rate)
		return one->rate > other->rate ? -1 : 1;
	return one->position < other->position ? -1 : one->position > other->position;
}

size_t report_rank_by(struct arena *arena, const struct run *run, enum report_standing standing,
		      bool all, bool by_rate, const uint32_t **out)
{
	size_t nr = report_rank(arena, run, standing, all, out);
	struct ranked *ranked = by_rate ? arena_alloc(arena, (nr + 1) * sizeof(*ranked)) : NULL;
	uint32_t *ids = ranked ? arena_alloc(arena, (nr + 1) * sizeof(*ids)) : NULL;

	for (uint32_t i = 0; ids && i < nr; i++) {
		const struct ms_reading *rate = finding_rate(&run->nodes[(*out)[i]]);

		ranked[i] = (struct ranked){ rate && isfinite(rate->value) ? rate->value : -1,
					     (*out)[i], i };
	}
	if (!ids)
		return nr;
	sort(ranked, nr, sizeof(*ranked), higher_rate);
	for (size_t i = 0; i < nr; i++)
		ids[i] = ranked[i].id;
	*out = ids;
	return nr;
}
