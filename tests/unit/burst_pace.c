/* SPDX-License-Identifier: Apache-2.0 */
/* When bursts of accesses begin in a region that lasts long, and how much time they take. */
#include "ompt_tool/accesses/burst_pace.h"

#include "tests/unit/test.h"

#define MS 1000000ull

static const uint64_t begun_ns = 7000 * MS;

TEST(burst_pace__a_burst_takes_a_third_of_what_is_left_and_not_too_little)
{
	const struct burst_pace pace = { begun_ns, 30 * MS, 50 }, little = { begun_ns, 5 * MS, 50 };

	CHECK_THAT(burst_pace_ns(&pace, begun_ns, 0), ==, 10 * MS);
	CHECK_THAT(burst_pace_ns(&pace, begun_ns + 100 * MS, 5 * MS), ==, 10 * MS);
	CHECK_THAT(burst_pace_ns(&little, begun_ns, 0), ==, 4 * MS);
	CHECK_THAT(burst_pace_ns(&little, begun_ns, 2 * MS), ==, 0);
	CHECK_THAT(burst_pace_ns(&little, begun_ns, 6 * MS), ==, 0);
	/* a thread that is late */
	CHECK_THAT(burst_pace_ns(&pace, begun_ns - 1, 0), ==, 10 * MS);
}

/* Whatever the region lasts, all bursts together stay within what they may take. */
TEST(burst_pace__bursts_become_rare)
{
	const struct burst_pace pace = { begun_ns, 15 * MS, 50 };
	uint64_t now_ns = begun_ns, ended_ns, spent_ns = 0, bursts = 0;

	for (ended_ns = begun_ns; now_ns < begun_ns + 100000 * MS; now_ns += MS / 10) {
		uint64_t ns = burst_pace_ns(&pace, now_ns, spent_ns);

		if ((bursts && !burst_pace_is_due(&pace, now_ns, ended_ns)) || !ns)
			continue;
		spent_ns += ns;
		now_ns += 2 * ns; /* slower than without */
		ended_ns = now_ns;
		bursts++;
		CHECK_THAT((double)spent_ns, <=, 15e6 + 0.05 * (double)(now_ns - begun_ns));
	}
	CHECK_THAT(bursts, >=, 10);
	CHECK_THAT(bursts, <=, 15);
}

TEST(burst_pace__a_burst_is_due_for_a_while)
{
	const struct burst_pace pace = { begun_ns, 15 * MS, 50 };
	uint64_t ended_ns = begun_ns + 10 * MS;

	CHECK(!burst_pace_is_due(&pace, begun_ns + 20 * MS - 1, ended_ns));
	CHECK(burst_pace_is_due(&pace, begun_ns + 20 * MS, ended_ns));
	CHECK(!burst_pace_is_over_due(&pace, begun_ns + 50 * MS - 1, begun_ns + 25 * MS));
	CHECK(burst_pace_is_over_due(&pace, begun_ns + 50 * MS, begun_ns + 25 * MS));
	/* it has recorded no burst; and its last one was in an earlier region */
	CHECK(!burst_pace_is_due(&pace, begun_ns + 30 * MS, 0));
	CHECK(!burst_pace_is_due(&pace, begun_ns + 30 * MS, begun_ns - MS));
}

TEST(burst_pace__spare_clones_are_few)
{
	const struct burst_pace pace = { begun_ns, 15 * MS, 50 };

	CHECK_THAT(burst_pace_spare_clones(&pace, begun_ns - MS), ==, 0);
	CHECK_THAT(burst_pace_spare_clones(&pace, begun_ns), ==, 0);
	CHECK_THAT(burst_pace_spare_clones(&pace, begun_ns + 30 * MS), ==, 1000);
}
