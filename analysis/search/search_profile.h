/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_SEARCH_PROFILE_H
#define MEMSEARCH_SEARCH_SEARCH_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/host.h"

/*
 * Search profiles (Roth & Miller, EuroPar 2002): what a search found, and when, against what is
 * known of the program: the union over the searches by all strategies. Not here: the searches
 * (monitored_search.h).
 */
struct arena;

struct search_profile_point {
	struct ms_candidate candidate; /* by property, region and thread */
	uint64_t executions;           /* of the phase until it was proven */
};

/* In the order in which they were proven; each candidate once. */
struct search_profile {
	const struct search_profile_point *points;
	size_t nr;
};

/* Number of different candidates; SIZE_MAX: no memory. */
size_t search_profile_known(struct arena *arena, const struct search_profile *profiles, size_t nr);

/* NAN: fewer were found, or none is known. Of two searches of one program. */
struct search_score {
	double half, all; /* executions until that part of the known was found */
	/*
	 * Utility U(t) = -t, in executions, over what was found, each with the weight 1 / known;
	 * nearer to 0 is better among searches that found as many.
	 */
	double utility;
};
struct search_score search_profile_score(const struct search_profile *profile, size_t known);

/* Executions until the first N places were found; NAN: fewer were found, or N is 0. */
double search_profile_until(const struct search_profile *profile, size_t found);

#endif
