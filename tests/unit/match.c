/* SPDX-License-Identifier: Apache-2.0 */
/* Which region, data structure and line of one run is which of another. */
#include "analysis/differential/match.h"

#include "tests/unit/diff_profiles.h"

static void match_two(struct arena *arena, const struct profile *base, const struct profile *new,
		      struct match *match)
{
	const struct profile *profiles[] = { base, new };
	const enum match_side sides[] = { MATCH_BASE, MATCH_NEW };

	CHECK(match_profiles(arena, profiles, sides, 2, match));
}

static bool is_pair(const struct match *match, uint32_t base, uint32_t new)
{
	return match->runs[0].places[base] == match->runs[1].places[new];
}

TEST(match__lines_move)
{
	struct arena *arena = arena_new();
	struct profile *base = diff_profile(arena, "a", 2), *new = diff_profile(arena, "b", 2);
	uint32_t one = diff_place(arena, base, "calc", 10, "main", 0),
		 two = diff_place(arena, base, "calc", 20, "main", 0);
	uint32_t moved_one = diff_place(arena, new, "calc", 20, "main", 0),
		 moved_two = diff_place(arena, new, "calc", 30, "main", 0);
	struct match match;

	match_two(arena, base, new, &match);
	CHECK(is_pair(&match, one, moved_one) && is_pair(&match, two, moved_two));
	CHECK_INT(match.nr_places, 3);
	arena_free(arena);
}

/* In one binary the line decides: a loop that one run did not execute has no pair. */
TEST(match__lines_of_one_binary_stay)
{
	struct arena *arena = arena_new();
	struct profile *base = diff_profile(arena, "a", 2), *new = diff_profile(arena, "a", 4);
	uint32_t one = diff_place(arena, base, "calc", 10, "main", 0),
		 two = diff_place(arena, base, "calc", 20, "main", 0);
	uint32_t again = diff_place(arena, new, "calc", 20, "main", 0);
	struct match match;

	match_two(arena, base, new, &match);
	CHECK(is_pair(&match, two, again) && !is_pair(&match, one, again));
	CHECK(!match.places[match.runs[0].places[one]].of[MATCH_NEW]);
	arena_free(arena);
}

TEST(match__an_inserted_loop_is_new)
{
	struct arena *arena = arena_new();
	struct profile *base = diff_profile(arena, "a", 2), *new = diff_profile(arena, "b", 2);
	uint32_t one = diff_place(arena, base, "calc", 10, "main", 111),
		 two = diff_place(arena, base, "calc", 20, "main", 222);
	uint32_t inserted = diff_place(arena, new, "calc", 12, "main", 333),
		 new_one = diff_place(arena, new, "calc", 22, "main", 111);
	uint32_t new_two = diff_place(arena, new, "calc", 32, "main", 222);
	struct match match;

	match_two(arena, base, new, &match);
	CHECK(is_pair(&match, one, new_one) && is_pair(&match, two, new_two));
	CHECK(!match.places[match.runs[1].places[inserted]].of[MATCH_BASE]);
	arena_free(arena);
}

TEST(match__functions_are_renamed_and_inlined)
{
	struct arena *arena = arena_new();
	struct profile *base = diff_profile(arena, "a", 2), *new = diff_profile(arena, "b", 2);
	uint32_t renamed = diff_place(arena, base, "calc_old", 10, "main", 111),
		 inlined = diff_place(arena, base, "update", 20, "main -> step", 222);
	uint32_t other = diff_place(arena, base, "sweep_old", 40, "main", 444);
	uint32_t new_name = diff_place(arena, new, "calc_new", 12, "main", 111),
		 direct = diff_place(arena, new, "update", 22, "main", 222);
	uint32_t stranger = diff_place(arena, new, "sweep_new", 50, "main", 555),
		 stranger_too = diff_place(arena, new, "other", 60, "main", 666);
	struct match match;

	match_two(arena, base, new, &match);
	CHECK(is_pair(&match, renamed, new_name));
	CHECK(is_pair(&match, inlined, direct));
	/* two that it could be, with other arrays */
	CHECK(!is_pair(&match, other, stranger) && !is_pair(&match, other, stranger_too));
	arena_free(arena);
}

TEST(match__runs_of_a_side_are_one)
{
	struct arena *arena = arena_new();
	struct profile *profiles[3];
	const struct profile *list[3];
	const enum match_side sides[] = { MATCH_BASE, MATCH_BASE, MATCH_NEW };
	struct match match;

	for (int i = 0; i < 3; i++) {
		list[i] = profiles[i] = diff_profile(arena, "a", 2);
		diff_place(arena, profiles[i], i == 1 ? "extra" : "calc", 10, "main", 0);
		diff_array(arena, profiles[i], "u", 1);
	}
	CHECK(match_profiles(arena, list, sides, 3, &match));
	CHECK_INT(match.nr_places, 3);
	CHECK_INT(match.nr_arrays, 1);
	CHECK(match.runs[0].places[1] == match.runs[2].places[1] &&
	      match.runs[1].places[1] != match.runs[2].places[1]);
	arena_free(arena);
}

TEST(match__allocations_without_names_pair_up_in_order)
{
	struct arena *arena = arena_new();
	struct profile *base = diff_profile(arena, "a", 2), *new = diff_profile(arena, "b", 2);
	struct match match;

	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++) {
			struct profile *profile = i ? new : base;

			diff_array(arena, profile, "", 10 * k + 7 * i);
			profile->arrays[k].kind = "heap";
			profile->arrays[k].function = "init";
		}
	match_two(arena, base, new, &match);
	CHECK_INT(match.nr_arrays, 2);
	CHECK_INT(match.runs[0].arrays[1], match.runs[1].arrays[1]);
	arena_free(arena);
}

TEST(match__members_align_by_what_they_do)
{
	struct member base[] = { { 1, 10, 7, 0, MATCH_NONE },
				 { 1, 11, 8, 1, MATCH_NONE },
				 { 1, 12, 9, 2, MATCH_NONE } };
	struct member other[] = { { 1, 11, 8, 0, MATCH_NONE }, { 1, 30, 9, 1, MATCH_NONE } };

	match_members(base, 3, other, 2, false);
	for (int i = 0; i < 3; i++)
		CHECK_INT(base[i].pair, base[i].id == 0 ? MATCH_NONE : base[i].id - 1);
}

TEST(match__members_alone_pair_up_only_where_they_are)
{
	struct member base[] = { { 1, 10, 0, 0, MATCH_NONE },
				 { 2, 11, 0, 1, MATCH_NONE },
				 { 2, 12, 0, 2, MATCH_NONE } };
	struct member other[] = { { 1, 99, 0, 0, MATCH_NONE },
				  { 2, 98, 0, 1, MATCH_NONE },
				  { 2, 97, 0, 2, MATCH_NONE } };

	match_members(base, 3, other, 3, true);
	for (int i = 0; i < 3; i++)
		CHECK_INT(base[i].pair, base[i].id == 0 ? 0 : MATCH_NONE);
}

/*
 * Static loops of gcc, which one run found and the other counted as their region: loop and region
 * are one, and so is what is inside.
 */
TEST(match__a_loop_that_one_run_did_not_find)
{
	struct arena *arena = arena_new();
	struct profile *base = diff_profile(arena, "a", 2), *new = diff_profile(arena, "a", 2);
	uint32_t region = diff_region(arena, base, "calc", 10),
		 found = diff_region(arena, new, "calc", 10);
	uint32_t inner = diff_inner(arena, base, MS_LOOP_REGION, region, "calc", 14);
	uint32_t loop = diff_inner(arena, new, MS_DO_REGION, found, "calc", 12),
		 inner_found = diff_inner(arena, new, MS_LOOP_REGION, loop, "calc", 14);
	struct match match;

	for (int turned = 0; turned < 2; turned++) {
		match_two(arena, turned ? new : base, turned ? base : new, &match);
		CHECK(is_pair(&match, turned ? found : region, turned ? region : found));
		CHECK(is_pair(&match, turned ? loop : region, turned ? region : loop));
		CHECK(is_pair(&match, turned ? inner_found : inner, turned ? inner : inner_found));
		CHECK(match.runs[!turned].in_region[loop] &&
		      !match.runs[!turned].in_region[found] &&
		      !match.runs[turned].in_region[region]);
	}
	arena_free(arena);
}

/* A second loop in a region with one is new. */
TEST(match__another_loop_in_a_region_is_new)
{
	struct arena *arena = arena_new();
	struct profile *base = diff_profile(arena, "a", 2), *new = diff_profile(arena, "b", 2);
	uint32_t region = diff_region(arena, base, "calc", 10),
		 other = diff_region(arena, new, "calc", 10);
	uint32_t one = diff_inner(arena, base, MS_DO_REGION, region, "calc", 12),
		 again = diff_inner(arena, new, MS_DO_REGION, other, "calc", 12);
	uint32_t second = diff_inner(arena, new, MS_DO_REGION, other, "calc", 16);
	struct match match;

	match_two(arena, base, new, &match);
	CHECK(is_pair(&match, region, other) && is_pair(&match, one, again));
	CHECK(!match.places[match.runs[1].places[second]].of[MATCH_BASE] &&
	      !match.runs[1].in_region[second]);
	arena_free(arena);
}
