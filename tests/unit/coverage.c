/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of invented runs that were recorded in one of them only. */
#include "analysis/differential/coverage.h"

#include "analysis/differential/compare.h"
#include "tests/unit/diff_profiles.h"

enum { LOOP = 1, COPY, OTHER }; /* places; the first two have one name */

struct pair {
	struct arena *arena;
	struct profile *profiles[2];
	struct match match;
	struct comparison comparison;
};

static const enum match_side sides[] = { MATCH_BASE, MATCH_NEW };
static const struct compare_options options = { .work = { 1, 1 },
						.function = COMBINE_WEIGHTED,
						.bound = NAN,
						.level = 0.05,
						.cut_off = 0.001 };

/*
 * Two runs with the same values: of the other loop, and of as many copies of the first as were
 * recorded.
 */
static void make(struct pair *pair, const bool (*recorded)[2], double accesses)
{
	uint32_t count = diff_metric("accesses", MS_RUNG_COUNTED),
		 l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);

	pair->arena = arena_new();
	for (int i = 0; i < 2; i++) {
		struct profile *profile = pair->profiles[i] = diff_profile(pair->arena, "a", 2);

		diff_place(pair->arena, profile, "calc", 10, "main", 0);
		diff_place(pair->arena, profile, "calc", 10, "main", 0);
		diff_place(pair->arena, profile, "other", 20, "main", 0);
		diff_array(pair->arena, profile, "u", 1);
		profile->places[OTHER].executed = profile->places[OTHER].recorded = true;
		diff_value(pair->arena, profile, 0, PROFILE_NONE, count, 1e6, 0);
		diff_value(pair->arena, profile, OTHER, 0, l2, 1000, 0);
		for (int copy = 0; copy < 2; copy++) {
			profile->places[LOOP + copy].executed = true;
			profile->places[LOOP + copy].recorded = recorded[i][copy];
			if (!recorded[i][copy])
				continue;
			diff_value(pair->arena, profile, LOOP + (uint32_t)copy, 0, count, accesses,
				   0);
			diff_value(pair->arena, profile, LOOP + (uint32_t)copy, PROFILE_NONE, count,
				   accesses, 0);
		}
	}
	CHECK(match_profiles(pair->arena, (const struct profile *const *)pair->profiles, sides, 2,
			     &pair->match));
	CHECK(compare(pair->arena, &pair->match, &options, &pair->comparison));
}

static const struct difference *find(const struct pair *pair, uint32_t place, uint32_t metric)
{
	for (size_t i = 0; i < pair->comparison.nr; i++)
		if (pair->comparison.rows[i].place == place &&
		    pair->comparison.rows[i].array == 0 &&
		    pair->comparison.rows[i].metric == metric)
			return &pair->comparison.rows[i];
	test_fail(__FILE__, __LINE__, "no such bucket");
}

TEST(coverage__regions_recorded_in_one_run_do_not_compare)
{
	static const struct {
		int line;
		bool recorded[2][2];
		double accesses;
		enum verdict loop, other;
	} cases[] = {
		{ __LINE__, { { true, true }, { true, true } }, 1e5, VERDICT_SAME, VERDICT_SAME },
		{ __LINE__,
		  { { true, true }, { true, false } },
		  1e5,
		  VERDICT_UNKNOWN,
		  VERDICT_UNKNOWN },
		{ __LINE__,
		  { { false, true }, { true, true } },
		  1e5,
		  VERDICT_UNKNOWN,
		  VERDICT_UNKNOWN },
		{ __LINE__, { { true, false }, { true, false } }, 1e5, VERDICT_SAME, VERDICT_SAME },
		/* too small for the caches */
		{ __LINE__,
		  { { true, true }, { true, false } },
		  100,
		  VERDICT_UNKNOWN,
		  VERDICT_SAME },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair pair;
		const struct difference *loop, *other;

		make(&pair, cases[i].recorded, cases[i].accesses);
		loop = find(&pair, LOOP, diff_metric("accesses", MS_RUNG_COUNTED));
		other = find(&pair, pair.match.runs[0].places[OTHER],
			     diff_metric("l2_misses", MS_RUNG_SIMULATED));
		if (loop->verdict != cases[i].loop || other->verdict != cases[i].other)
			test_fail(__FILE__, cases[i].line, "%s, %s", verdict_name(loop->verdict),
				  verdict_name(other->verdict));
		CHECK_INT(loop->verdict == VERDICT_UNKNOWN,
			  loop->why &&
				  strstr(loop->why, "recorded in some of the runs only") != NULL);
		arena_free(pair.arena);
	}
}

/* A region inside of another one. */
TEST(coverage__regions_around_one_differ_too)
{
	struct pair pair;
	struct coverage coverage;
	struct buckets buckets;

	make(&pair, (const bool[2][2]){ { true, true }, { true, true } }, 1e5);
	pair.profiles[0]->places[OTHER].parent = pair.profiles[1]->places[OTHER].parent = LOOP;
	pair.profiles[1]->places[OTHER].recorded = false;
	CHECK(match_profiles(pair.arena, (const struct profile *const *)pair.profiles, sides, 2,
			     &pair.match));
	CHECK(buckets_fill(pair.arena, &pair.match, &buckets));
	CHECK(coverage_of(pair.arena, &pair.match, &buckets, &coverage));
	CHECK(coverage.differs[pair.match.runs[0].places[OTHER]] && coverage.differs[LOOP] &&
	      coverage.differs[0] && coverage.largely);
	arena_free(pair.arena);
}

static enum verdict other_steps(uint32_t basis, double ratio)
{
	uint32_t metric = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	enum verdict verdict;
	struct pair pair;

	make(&pair, (const bool[2][2]){ { true, true }, { true, true } }, 1e5);
	pair.profiles[1]->steps = 2;
	for (int i = 0; i < 2; i++)
		pair.profiles[i]->basis = basis;
	for (size_t i = 0; i < pair.profiles[1]->nr_values; i++)
		if (pair.profiles[1]->values[i].metric == metric)
			pair.profiles[1]->values[i].value *= ratio;
	CHECK(match_profiles(pair.arena, (const struct profile *const *)pair.profiles, sides, 2,
			     &pair.match));
	CHECK(compare(pair.arena, &pair.match, &options, &pair.comparison));
	verdict = find(&pair, pair.match.runs[0].places[OTHER], metric)->verdict;
	arena_free(pair.arena);
	return verdict;
}

/* Where caches hold what the step before left, any number of steps has the same misses a step. */
TEST(coverage__other_steps_have_other_misses_unless_steady)
{
	CHECK_INT(other_steps(RUN_BASIS_ONE, 1), VERDICT_UNKNOWN);
	CHECK_INT(other_steps(RUN_BASIS_BURSTS, 1), VERDICT_UNKNOWN);
	CHECK_INT(other_steps(RUN_BASIS_STEADY, 1), VERDICT_SAME);
	/* neither proven nor ruled out, so that it keeps no limit of 0 or 1 % */
	CHECK_INT(other_steps(RUN_BASIS_STEADY, 1.01), VERDICT_UNKNOWN);
	CHECK_INT(other_steps(RUN_BASIS_STEADY, 1.1), VERDICT_WORSE);
	CHECK_INT(other_steps(RUN_BASIS_STEADY, 0.9), VERDICT_BETTER);
}
