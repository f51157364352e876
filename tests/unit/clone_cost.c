/* SPDX-License-Identifier: Apache-2.0 */
#include "ompt_tool/session/clone_cost.h"

#include "test.h"

/* Steps of 10 ms, of which clones make one 35 ms long and one 25 ms. */
TEST(clone_cost__executions_with_clones_less_the_mean_of_others)
{
	struct clone_cost cost = { .all_ns = 0 };

	CHECK_NEAR(clone_cost_note(&cost, true, 35, 1), 0, 1e-9);
	CHECK_NEAR(clone_cost_note(&cost, false, 30, 3), 0, 1e-9);
	CHECK_NEAR(clone_cost_note(&cost, false, 10, 1), 25, 1e-9);
	CHECK_NEAR(clone_cost_note(&cost, true, 25, 1), 15, 1e-9);
	CHECK_NEAR(clone_cost_note(&cost, false, 10, 1), 0, 1e-9);
	CHECK_NEAR(cost.all_ns, 40, 1e-9);
}

/* What was accounted is not taken back; a later excess is less so much. */
TEST(clone_cost__a_longer_mean)
{
	struct clone_cost cost = { .all_ns = 0 };

	CHECK_NEAR(clone_cost_note(&cost, false, 40, 4), 0, 1e-9);
	CHECK_NEAR(clone_cost_note(&cost, true, 16, 1), 6, 1e-9);
	CHECK_NEAR(clone_cost_note(&cost, false, 56, 4), 0, 1e-9);
	CHECK_NEAR(clone_cost_note(&cost, true, 20, 1), 6, 1e-9);
	clone_cost_phase(&cost);
	CHECK_NEAR(clone_cost_note(&cost, false, 4, 4), 0, 1e-9);
	CHECK_NEAR(clone_cost_note(&cost, true, 3, 1), 2, 1e-9);
	CHECK_NEAR(cost.all_ns, 14, 1e-9);
}
