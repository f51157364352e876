/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_MATCH_H
#define MEMSEARCH_DIFFERENTIAL_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/profile.h"

/*
 * Which place, data structure and line of one run is which of another, also where the source has
 * changed between them: lines moved, static functions were renamed, functions were inlined or no
 * longer. Runs of each side come from one binary as a rule, there lines decide.
 *
 * Between the sides, in this order, each with what is left: same function, file and callers; other
 * callers (inlining); another file; another function with accesses to the same arrays. Several of
 * one function pair up in the order of their lines; where there are more on one side, those that
 * access the same arrays do (longest common subsequence).
 *
 * A work-shared loop in a parallel region in which some run has no such loop belongs to its region:
 * gcc's static loops are found when a phase is found, and are counted as the region until then. Its
 * values are added to those of the region, whose number it has.
 */
struct arena;

enum match_side { MATCH_BASE, MATCH_NEW, MATCH_SIDES };
#define MATCH_NONE UINT32_MAX

struct matched_place {
	const struct profile_place *of[MATCH_SIDES]; /* NULL: that side has none */
	uint32_t parent; /* number of the place around it, or MATCH_NONE */
};
struct matched_array {
	const struct profile_array *of[MATCH_SIDES];
};
struct matched_part {
	const struct profile_part *of[MATCH_SIDES];
};

/* from a profile's numbers to those of the match */
struct match_run {
	const struct profile *profile;
	enum match_side side;
	uint32_t *places, *arrays, *parts;
	/* [profile->nr_places]: a loop that belongs to its region, see above */
	bool *in_region;
};

/*
 * Values are of a mean step, or of the whole run where no repeating phase was found: the two do not
 * compare.
 */
enum match_unit { MATCH_STEPS, MATCH_WHOLE_RUNS, MATCH_UNITS_DIFFER };

struct match {
	/*
	 * of both sides, whose runs with the other one are left out; MATCH_UNITS_DIFFER: neither
	 * unit has runs on both sides
	 */
	enum match_unit unit;
	struct match_run *runs;
	size_t nr_runs;
	struct matched_place *places;
	size_t nr_places;
	struct matched_array *arrays;
	size_t nr_arrays;
	struct matched_part *parts;
	size_t nr_parts;
};

/* `sides` [nr]: of each profile. In the arena, points into the profiles. False: no memory. */
bool match_profiles(struct arena *arena, const struct profile *const *profiles,
		    const enum match_side *sides, size_t nr, struct match *out);

/*
 * Whether the run's values compare with those of the others, by their unit; of MATCH_UNITS_DIFFER
 * each run's are kept, for its own side.
 */
bool match_has_values(const struct match *match, size_t run);

/* Whether the place is `outer`, or inside of it. */
bool match_is_inside(const struct match *match, uint32_t place, uint32_t outer);
/* The data structure for people, as the new side has it, if that does; NULL: PROFILE_NONE. */
const char *match_array_words(const struct match *match, uint32_t array);

/* One thing of one side; see above. */
struct member {
	uint64_t group; /* only members of one group pair up */
	int64_t order;  /* line or address */
	uint64_t shape; /* what it does; 0: not known */
	uint32_t id;
	uint32_t pair; /* id of its pair, or MATCH_NONE */
};

/*
 * Pairs members that have none; sorts both lists. `alone`: only where each side has one in the
 * group.
 */
void match_members(struct member *base, size_t nr_base, struct member *other, size_t nr_other,
		   bool alone);

/*
 * Whether simulated values are means of other numbers of steps. Steps behind a whole one repeat but
 * for the first accesses to what later ones use: MATCH_STEPS_APART is far above that.
 */
bool match_steps_differ(const struct match *match);
#define MATCH_STEPS_APART 0.02 /* relative */

#endif
