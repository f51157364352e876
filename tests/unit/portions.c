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

/* How many of the region are wanted, and the last of them. */
static uint64_t wanted(struct portions *portions, uint32_t region, int nr, int *last_out)
{
	uint64_t all = 0;

	*last_out = -1;
	for (int i = 0; i < nr; i++)
		if (portions_wanted(portions, 0, region, 1, 1)) {
			*last_out = i;
			all++;
		}
	return all;
}

TEST(portions__all_is_simulated_where_there_is_time)
{
	struct arena *arena = arena_new();
	struct portions *portions = noted(arena, 2 * (LARGE + SMALL));
	int last;

	portions_begin(portions, 0);
	CHECK_INT(wanted(portions, 1, LARGE, &last), LARGE);
	CHECK_INT(wanted(portions, 2, SMALL, &last), SMALL);
	CHECK(portions_are_whole(portions));
	arena_free(arena);
}

TEST(portions__regions_have_the_same_number_each)
{
	struct arena *arena = arena_new();
	struct portions *portions = noted(arena, 2 * (100 + SMALL));
	int last;

	portions_begin(portions, 0);
	CHECK_INT(wanted(portions, 1, LARGE, &last), 100);
	CHECK_INT(last, 99);
	CHECK_INT(portions_of(portions, 0, 1), LARGE);
	/* the other thread's are missing */
	CHECK_NEAR(portions_times(portions, 1), 20, 1e-9);
	CHECK_NEAR(portions_times(portions, 2), 1, 1e-9); /* nothing of it was wanted yet */
	CHECK_INT(wanted(portions, 2, SMALL, &last), SMALL);
	CHECK_NEAR(portions_times(portions, 2), 2, 1e-9);
	arena_free(arena);
}

/* However little time there is, each has its first entry. */
TEST(portions__nothing_goes_without)
{
	struct arena *arena = arena_new();
	struct portions *portions = noted(arena, 0);
	int last;

	portions_begin(portions, 0);
	CHECK_INT(wanted(portions, 1, LARGE, &last), 1);
	CHECK_INT(last, 0);
	CHECK_INT(wanted(portions, 2, SMALL, &last), 1);
	CHECK(!portions_new(arena, 1u << 16, 1u << 10, 1u << 15));
	arena_free(arena);
}

/* A loop is one entry: it ends in its midst. */
TEST(portions__a_part_of_a_loop_is_wanted)
{
	struct arena *arena = arena_new();
	struct portions *portions = portions_new(arena, 1, 1, 4);

	portions_note(portions, 0, 0, 1, 3, 1000);
	portions_note(portions, 0, 0, 1, 1, 10);
	portions_limit(portions, 100);
	CHECK_INT(portions_all(portions), 100);
	portions_begin(portions, 0);
	/* a part of a time counts as one */
	CHECK_INT(portions_wanted(portions, 0, 1, 3, 1000), 34);
	CHECK_INT(portions_wanted(portions, 0, 1, 1, 10), 0);
	CHECK_NEAR(portions_times(portions, 1), 3010.0 / 102, 1e-9);
	arena_free(arena);
}

static void add_cell(void *ctx, uint32_t execution, uint32_t thread, uint32_t region)
{
	CHECK_INT(execution, 0);
	*(uint64_t *)ctx += 100 * thread + region;
}

TEST(portions__threads_and_regions_are_visited)
{
	struct arena *arena = arena_new();
	uint64_t sum = 0;

	portions_each(noted(arena, 0), add_cell, &sum);
	CHECK_INT(sum, 1 + 2 + 101 + 102);
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
	portions_begin(portions, 0);
	CHECK_INT(portions_wanted(portions, 0, 1, UINT64_MAX, UINT64_MAX), 1);
	portions_begin(portions, 0);
	CHECK_INT(portions_wanted(portions, 0, 1, 2, (uint64_t)1 << 60), 50);
	arena_free(arena);
}
