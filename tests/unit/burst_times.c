/* SPDX-License-Identifier: Apache-2.0 */
/* What bursts stand for. */
#include "analysis/counting/burst_times.h"

#include "tests/unit/test.h"

/* The phase, a parallel region in it with a loop, and one whose parent is not in the run. */
TEST(burst_times__the_outermost_region)
{
	struct run_region regions[] = { { .id = 0, .parent = MS_REGION_NONE },
					{ .id = 1, .parent = MS_REGION_USER },
					{ .id = 2, .parent = 1 },
					{ .id = 3, .parent = 7 } };
	const struct run run = { .regions = regions, .nr_regions = 4 };

	CHECK_INT(burst_times_outermost(&run, 0), 0);
	CHECK_INT(burst_times_outermost(&run, 1), 1);
	CHECK_INT(burst_times_outermost(&run, 2), 1);
	CHECK_INT(burst_times_outermost(&run, 3), 3);
	CHECK_INT(burst_times_outermost(&run, MS_REGION_NONE), MS_REGION_NONE);
}
