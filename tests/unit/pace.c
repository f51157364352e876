/* SPDX-License-Identifier: Apache-2.0 */
/* How many lines there is room for, while the first of two executions is simulated. */
#include "ompt_tool/accesses/pace.h"

#include "tests/unit/test.h"

#define WORDS 1000

static double in_proportion(uint32_t one_in) { return 1.0 / one_in; }

static struct pace pace_of(double room_ns)
{
	struct pace pace = { .sparsest = 16, .lines_share = in_proportion, .room_ns = room_ns };

	pace_begin(&pace, WORDS, 5000);
	return pace;
}

/* Half of it took 100: all takes 200, and the second as much. */
TEST(pace__as_many_as_there_is_room_for)
{
	static const struct { double room_ns; uint32_t from, to; } cases[] = {
		{ 410, 1, 1 }, { 390, 1, 4 }, { 180, 1, 4 }, { 120, 1, 16 }, { 390, 4, 8 }, { 410, 8, 8 }, { 260, 8, 16 }, { 210, 16, 16 }, { 170, 16, 0 }, { 110, 4, 0 }, { 390, 16, 16 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pace pace = pace_of(cases[i].room_ns);

		CHECK_INT(pace_look(&pace, cases[i].from, WORDS / 2, 5100), cases[i].to);
	}
}

/* With all lines half of it took 400, the rest with one in four 100: so will each half of the second. */
TEST(pace__what_was_with_more_lines_is_not_repeated)
{
	struct pace pace = pace_of(710);

	CHECK_INT(pace_look(&pace, 1, WORDS / 2, 5400), 4);
	CHECK_INT(pace_look(&pace, 4, 0, 5500), 4);
	CHECK_NEAR(pace.as_now_ns, 200, 1e-9);
	pace = pace_of(690);
	CHECK_INT(pace_look(&pace, 1, WORDS / 2, 5400), 8);
	CHECK_INT(pace_look(&pace, 8, 0, 5500), 8);
	CHECK_NEAR(pace.as_now_ns, 150, 1e-9);
}

TEST(pace__a_begin_says_nothing)
{
	struct pace pace = pace_of(1000);

	CHECK_INT(pace_look(&pace, 1, WORDS - 1, 5900), 1);
	CHECK_INT(pace_look(&pace, 1, WORDS - 100, 5910), 16);
	CHECK_INT(pace_look(&pace, 16, WORDS - 400, 5999), 16);  /* not yet given up */
	CHECK_INT(pace_look(&pace, 16, WORDS - 500, 6000), 0);
}

/* What was begun comes to its end where it takes little more than was thought. */
TEST(pace__some_is_spared_for_the_end)
{
	struct pace pace = pace_of(350);

	CHECK_INT(pace_look(&pace, 16, 0, 5200), 0);
	pace = pace_of(350);
	pace.spare_ns = 20;
	CHECK_INT(pace_look(&pace, 1, 0, 5200), 4);
	pace = pace_of(350);
	pace.spare_ns = 20;
	CHECK_INT(pace_look(&pace, 16, 0, 5200), 0);
	pace = pace_of(350);
	pace.spare_ns = 60;
	CHECK_INT(pace_look(&pace, 16, 0, 5200), 16);
}

TEST(pace__nothing_was_recorded)
{
	struct pace pace = { .sparsest = 16, .lines_share = in_proportion, .room_ns = 100 };

	pace_begin(&pace, 0, 0);
	CHECK_INT(pace_look(&pace, 1, 0, 10), 1);
}

TEST(pace__looks_are_few)
{
	struct pace pace = pace_of(3200);

	CHECK(!pace_is_due(&pace, 5100));
	CHECK(pace_is_due(&pace, 5101));
}
