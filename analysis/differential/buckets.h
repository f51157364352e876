/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_BUCKETS_H
#define MEMSEARCH_DIFFERENTIAL_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/match.h"

/*
 * The values of all runs by bucket. A run in which the bucket was measured and nothing happened has
 * 0; a run in which it was not measured has NAN. Other values of the same sensor in the bucket's
 * place distinguish the two. Runs that the match leaves out (match_has_values) have NAN alone.
 */
struct arena;

struct bucket_key {
	uint32_t place, array, part, metric;
};

struct buckets {
	/*
	 * as they come in the profiles; metrics of one place, data structure and part next to each
	 * other
	 */
	struct bucket_key *keys;
	double *values; /* [nr][nr_runs] */
	/* [nr][nr_runs]: part of the value that another run may not have */
	double *uncertain;
	size_t nr, nr_runs;
};

/* In the arena. False: no memory. */
bool buckets_fill(struct arena *arena, const struct match *match, struct buckets *out);

#endif
