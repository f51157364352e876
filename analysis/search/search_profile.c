/* SPDX-License-Identifier: Apache-2.0 */
/* Search profiles: how much of the known was found, and when. */
#include "analysis/search/search_profile.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"

static int compare(uint32_t left, uint32_t right)
{
	return left < right ? -1 : left > right;
}

static int compare_candidates(const void *left, const void *right)
{
	const struct ms_candidate *a = left, *b = right;
	int order = compare(a->property, b->property);

	order = order ? order : compare(a->region, b->region);
	return order ? order : compare(a->thread, b->thread);
}

size_t search_profile_known(struct arena *arena, const struct search_profile *profiles, size_t nr)
{
	struct ms_candidate *all;
	size_t points = 0, known = 0;

	for (size_t i = 0; i < nr; i++)
		points += profiles[i].nr;
	all = arena_alloc(arena, (points + 1) * sizeof(*all));
	if (!all)
		return SIZE_MAX;
	points = 0;
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < profiles[i].nr; k++)
			all[points++] = profiles[i].points[k].candidate;
	sort(all, points, sizeof(*all), compare_candidates);
	for (size_t i = 0; i < points; i++)
		known += !i || compare_candidates(&all[i - 1], &all[i]);
	return known;
}

double search_profile_until(const struct search_profile *profile, size_t found)
{
	return found && found <= profile->nr ? (double)profile->points[found - 1].executions : NAN;
}

struct search_score search_profile_score(const struct search_profile *profile, size_t known)
{
	struct search_score score = { .half = search_profile_until(profile, (known + 1) / 2),
				      .all = search_profile_until(profile, known),
				      .utility = known ? 0 : NAN };

	for (size_t i = 0; i < profile->nr; i++)
		score.utility -= (double)profile->points[i].executions / (double)known;
	return score;
}
