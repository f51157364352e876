/* SPDX-License-Identifier: Apache-2.0 */
/* What is simulated of kept executions where there is no time for all of them. */
#include "analysis/simulation/portions.h"

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

#define LARGE 1000
#define SMALL 10

/* Two threads; region 1 is large, region 2 small, each entry of one access. */
static struct portions *noted(struct arena *arena, uint64_t limit)
{
	struct portions *portions = portions_new(arena, 1, 2, 4);

	CHECK(portions != NULL);
	for (uint32_t thread = 0; thread < 2; thread++) {
		for (int i = 0; i < LARGE; i++)
			portions_note(portions, 0, thread, 1, 1, 1);
		for (int i = 0; i < SMALL; i++)
			portions_note(portions, 0, thread, 2, 1, 1);
	}
	portions_limit(portions, limit);
	return portions;
}

/* How many of the region are wanted, the first and the last of them. */
static uint64_t wanted(struct portions *portions, uint32_t region, int nr, int *first_out,
		       int *last_out)
{
	uint64_t all = 0;

	*first_out = *last_out = -1;
	for (int i = 0; i < nr; i++)
		if (portions_wanted(portions, 0, region, 1, 1).times) {
			*first_out = all ? *first_out : i;
			*last_out = i;
			all++;
		}
	return all;
}

TEST(portions__all_is_simulated_where_there_is_time)
{
	struct arena *arena = arena_new();
	struct portions *portions = noted(arena, 2 * (LARGE + SMALL));
	int first, last;

	for (int counting = 0; counting < 2; counting++) {
		portions_begin(portions, 0, counting);
		CHECK_INT(wanted(portions, 1, LARGE, &first, &last), LARGE);
		CHECK_INT(wanted(portions, 2, SMALL, &first, &last), SMALL);
	}
	arena_free(arena);
}

TEST(portions__regions_have_the_same_number_each)
{
	struct arena *arena = arena_new();
	struct portions *portions = noted(arena, 2 * (100 + SMALL));
	int first, last;

	portions_begin(portions, 0, false);
	CHECK_INT(wanted(portions, 1, LARGE, &first, &last), 100);
	CHECK(first == LARGE - 100 && last == LARGE - 1);
	CHECK_INT(wanted(portions, 2, SMALL, &first, &last), SMALL);
	portions_begin(portions, 0, true);
	CHECK_INT(wanted(portions, 1, LARGE, &first, &last), 100);
	CHECK(first == 0 && last == 99);
	/* the other thread's are missing */
	CHECK_NEAR(portions_times(portions, 1), 20, 1e-9);
	CHECK_NEAR(portions_times(portions, 2), 1, 1e-9); /* nothing of it was wanted yet */
	CHECK_INT(wanted(portions, 2, SMALL, &first, &last), SMALL);
	CHECK_NEAR(portions_times(portions, 2), 2, 1e-9);
	arena_free(arena);
}

/* However little time there is, each has its first entry, or its last. */
TEST(portions__nothing_goes_without)
{
	struct arena *arena = arena_new();
	struct portions *portions = noted(arena, 0);
	int first, last;

	for (int counting = 0; counting < 2; counting++) {
		portions_begin(portions, 0, counting);
		CHECK_INT(wanted(portions, 1, LARGE, &first, &last), 1);
		CHECK_INT(first, counting ? 0 : LARGE - 1);
		CHECK_INT(wanted(portions, 2, SMALL, &first, &last), 1);
	}
	CHECK(!portions_new(arena, 1u << 16, 1u << 10, 1u << 15));
	arena_free(arena);
}

/* A loop is one entry: it begins, or ends, in its midst. */
TEST(portions__a_part_of_a_loop_is_wanted)
{
	struct arena *arena = arena_new();
	struct portions *portions = portions_new(arena, 1, 1, 4);
	struct portion portion;

	portions_note(portions, 0, 0, 1, 3, 1000);
	portions_note(portions, 0, 0, 1, 1, 10);
	portions_limit(portions, 100);
	CHECK_INT(portions_all(portions), 100);
	portions_begin(portions, 0, true);
	portion = portions_wanted(portions, 0, 1, 3, 1000);
	/* a part of a time counts as one */
	CHECK(portion.skip == 0 && portion.times == 34);
	CHECK_INT(portions_wanted(portions, 0, 1, 1, 10).times, 0);
	CHECK_NEAR(portions_times(portions, 1), 3010.0 / 102, 1e-9);
	portions_begin(portions, 0, false);
	portion = portions_wanted(portions, 0, 1, 3, 1000);
	CHECK(portion.skip == 970 && portion.times == 30);
	CHECK_INT(portions_wanted(portions, 0, 1, 1, 10).times, 10);
	arena_free(arena);
}

/* Numbers that no program has come to an end. */
TEST(portions__a_liar_s_loop_is_no_longer_than_others)
{
	struct arena *arena = arena_new();
	struct portions *portions = portions_new(arena, 1, 1, 4);

	portions_note(portions, 0, 0, 1, UINT64_MAX, UINT64_MAX);
	portions_note(portions, 0, 0, 1, 2, (uint64_t)1 << 60);
	portions_limit(portions, 100);
	portions_begin(portions, 0, true);
	CHECK_INT(portions_wanted(portions, 0, 1, UINT64_MAX, UINT64_MAX).times, 1);
	portions_begin(portions, 0, true);
	CHECK_INT(portions_wanted(portions, 0, 1, 2, (uint64_t)1 << 60).times, 50);
	arena_free(arena);
}
