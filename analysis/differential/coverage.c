/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that were recorded in some of the runs only. */
#include "analysis/differential/coverage.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"

#define SMALL 0.001 /* part of the accesses */

/*
 * Regions of a run that are one place, as copies of a loop that the compiler unrolled are: of those
 * executed in a step.
 */
struct counts {
	uint32_t recorded, others;
};

static bool is_there(struct counts counts)
{
	return counts.recorded || counts.others;
}

static bool is_alike(struct counts one, struct counts other)
{
	if (!is_there(one) || !is_there(other))
		return true;
	return (!one.others && !other.others) || (!one.recorded && !other.recorded) ||
	       (one.recorded == other.recorded && one.others == other.others);
}

static void count_run(const struct match_run *run, struct counts *counts)
{
	for (size_t i = 0; i < run->profile->nr_places; i++) {
		const struct profile_place *place = &run->profile->places[i];

		if (run->in_region[i])
			continue;
		counts[run->places[i]].recorded += place->recorded;
		counts[run->places[i]].others += place->executed && !place->recorded;
	}
	/* a region was recorded where its loop was */
	for (size_t i = 0; i < run->profile->nr_places; i++)
		if (run->in_region[i] && run->profile->places[i].recorded &&
		    counts[run->places[i]].others) {
			counts[run->places[i]].others--;
			counts[run->places[i]].recorded++;
		}
}

static void mark(const struct match *match, bool *differs, uint32_t place)
{
	for (; place != MATCH_NONE && !differs[place]; place = match->places[place].parent)
		differs[place] = true;
}

/* Compares each run with the first one that has the place. */
static bool compare_runs(struct arena *arena, const struct match *match, bool *differs)
{
	struct counts *first = arena_alloc(arena, (match->nr_places + 1) * sizeof(*first)),
		      *counts = arena_alloc(arena, (match->nr_places + 1) * sizeof(*counts));

	if (!first || !counts)
		return false;
	memset(first, 0, (match->nr_places + 1) * sizeof(*first));
	for (size_t i = 0; i < match->nr_runs; i++) {
		if (!match_has_values(match, i))
			continue;
		memset(counts, 0, (match->nr_places + 1) * sizeof(*counts));
		count_run(&match->runs[i], counts);
		for (uint32_t place = 0; place < match->nr_places; place++) {
			if (!is_alike(first[place], counts[place]))
				mark(match, differs, place);
			if (!is_there(first[place]))
				first[place] = counts[place];
		}
	}
	return true;
}

static double most_of(const struct buckets *buckets, size_t bucket)
{
	double most = 0;

	for (size_t run = 0; run < buckets->nr_runs; run++)
		/* NAN: the other */
		most = fmax(most, buckets->values[bucket * buckets->nr_runs + run]);
	return most;
}

/* Whether regions that differ have more than a small part of the accesses in any run. */
static bool is_large(const struct match *match, const struct buckets *buckets, const bool *differs)
{
	double all = 0, largest = 0;

	for (size_t i = 0; i < buckets->nr; i++) {
		const struct bucket_key *key = &buckets->keys[i];
		const struct matched_place *place = &match->places[key->place];
		bool is_all = (place->of[MATCH_BASE] ? place->of[MATCH_BASE] : place->of[MATCH_NEW])
				      ->kind == MS_USER_REGION;

		if (key->array != PROFILE_NONE || key->part != PROFILE_NONE ||
		    !compared_is_named(key->metric, "accesses", strlen("accesses")))
			continue;
		if (is_all)
			all = fmax(all, most_of(buckets, i));
		else if (differs[key->place])
			largest = fmax(largest, most_of(buckets, i));
	}
	return largest > SMALL * all;
}

bool coverage_of(struct arena *arena, const struct match *match, const struct buckets *buckets,
		 struct coverage *out)
{
	*out = (struct coverage){ .differs = arena_alloc(arena, match->nr_places + 1) };
	if (!out->differs)
		return false;
	memset(out->differs, 0, match->nr_places + 1);
	if (!compare_runs(arena, match, out->differs))
		return false;
	out->largely = is_large(match, buckets, out->differs);
	return true;
}
