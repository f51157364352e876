/* SPDX-License-Identifier: Apache-2.0 */
#include "ompt_tool/session/excess.h"

#include "test.h"

/* Steps of 10 ms, of which clones make one 35 ms long and one 25 ms. */
TEST(excess__executions_with_clones_less_the_mean_of_others)
{
	struct excess excess = { .all_ns = 0 };

	CHECK_NEAR(excess_note(&excess, true, 35, 1), 0, 1e-9);
	CHECK_NEAR(excess_note(&excess, false, 30, 3), 0, 1e-9);
	CHECK_NEAR(excess_note(&excess, false, 10, 1), 25, 1e-9);
	CHECK_NEAR(excess_note(&excess, true, 25, 1), 15, 1e-9);
	CHECK_NEAR(excess_note(&excess, false, 10, 1), 0, 1e-9);
	CHECK_NEAR(excess.all_ns, 40, 1e-9);
}

/* What was accounted is not taken back; a later excess is less so much. */
TEST(excess__a_longer_mean)
{
	struct excess excess = { .all_ns = 0 };

	CHECK_NEAR(excess_note(&excess, false, 40, 4), 0, 1e-9);
	CHECK_NEAR(excess_note(&excess, true, 16, 1), 6, 1e-9);
	CHECK_NEAR(excess_note(&excess, false, 56, 4), 0, 1e-9);
	CHECK_NEAR(excess_note(&excess, true, 20, 1), 6, 1e-9);
	excess_phase(&excess);
	CHECK_NEAR(excess_note(&excess, false, 4, 4), 0, 1e-9);
	CHECK_NEAR(excess_note(&excess, true, 3, 1), 2, 1e-9);
	CHECK_NEAR(excess.all_ns, 14, 1e-9);
}
