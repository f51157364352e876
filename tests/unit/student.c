/* SPDX-License-Identifier: Apache-2.0 */
/* Student's t for a few values, against printed tables. */
#include "analysis/search/student.h"
#include "tests/unit/test.h"

TEST(student__half_width)
{
	static const double values[] = { 1, 2, 3, 6 };

	CHECK_NEAR(student_half_width((double[]){ 0.1 + 0.2, 0.3 }, 2), 0, 0);   /* the same, but for how they were rounded */
	CHECK_NEAR(student_half_width(values, 0), 0, 0);
	CHECK_NEAR(student_half_width(values, 1), 0, 0);
	CHECK_NEAR(student_half_width(values, 2), 12.706 * sqrt(0.5 / 2), 1e-9);
	CHECK_NEAR(student_half_width(values, 3), 4.303 * sqrt(1.0 / 3), 1e-9);
	CHECK_NEAR(student_half_width(values, 4), 3.182 * sqrt(14.0 / 3 / 4), 1e-9);
}

TEST(student__above_zero)
{
	/* a mean as far from 0 as its half width has 2.5 % of its probability below */
	for (size_t nr = 2; nr <= 4; nr++) {
		CHECK_NEAR(student_above_zero(1, 1, nr), 0.975, 1e-4);
		CHECK_NEAR(student_above_zero(0, 1, nr), 0.5, 1e-12);
	}
	CHECK_NEAR(student_above_zero(1.638 / 3.182, 1, 4), 0.9, 1e-4);   /* 90 % quantile of t with 3 degrees */
	CHECK_NEAR(student_above_zero(1.886 / 4.303, 1, 3), 0.9, 1e-4);
	CHECK_NEAR(student_above_zero(3.078 / 12.706, 1, 2), 0.9, 1e-4);
	CHECK_NEAR(student_above_zero(1, 0, 4), 1, 0);
	CHECK_NEAR(student_above_zero(1, 1, 1), 1, 0);
}
