/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_COVERAGE_H
#define MEMSEARCH_DIFFERENTIAL_COVERAGE_H

#include <stdbool.h>

#include "analysis/differential/buckets.h"
#include "analysis/differential/match.h"

/*
 * Whether the runs recorded accesses of the same regions. The search has the regions in question
 * recorded, which by their times may be others in another run of the same binary. Values of a
 * region that was recorded in some runs only, or in part, do not compare; nor do simulated values
 * of all others, as caches hold less then.
 */
struct arena;

struct coverage {
	/* [match->nr_places]: of the region, or of one inside of it */
	bool *differs;
	/* in regions with more than a thousandth of all accesses */
	bool largely;
};

/* In the arena. False: no memory. */
bool coverage_of(struct arena *arena, const struct match *match, const struct buckets *buckets,
		 struct coverage *out);

#endif
