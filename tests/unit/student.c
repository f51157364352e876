/* SPDX-License-Identifier: Apache-2.0 */
/* Student's t, against printed tables. */
#include "analysis/base/student.h"
#include "tests/unit/test.h"

TEST(student__half_width)
{
	static const double values[] = { 1, 2, 3, 6 };

	/* the same, but for how they were rounded */
	CHECK_NEAR(student_half_width((double[]){ 0.1 + 0.2, 0.3 }, 2), 0, 0);
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
	/* 90 % quantile of t with 3 degrees */
	CHECK_NEAR(student_above_zero(1.638 / 3.182, 1, 4), 0.9, 1e-4);
	CHECK_NEAR(student_above_zero(1.886 / 4.303, 1, 3), 0.9, 1e-4);
	CHECK_NEAR(student_above_zero(3.078 / 12.706, 1, 2), 0.9, 1e-4);
	CHECK_NEAR(student_above_zero(1, 0, 4), 1, 0);
	CHECK_NEAR(student_above_zero(1, 1, 1), 1, 0);
}

TEST(student__quantile)
{
	/* printed tables: 97.5 % and 80 % */
	static const struct {
		size_t freedom;
		double upper, fifth;
	} rows[] = {
		{ 1, 12.706, 1.376 }, { 2, 4.303, 1.061 },  { 3, 3.182, 0.978 },
		{ 4, 2.776, 0.941 },  { 5, 2.571, 0.920 },  { 10, 2.228, 0.879 },
		{ 18, 2.101, 0.862 }, { 29, 2.045, 0.854 }, { 120, 1.980, 0.845 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_NEAR(student_quantile(0.975, rows[i].freedom), rows[i].upper, 6e-4);
		CHECK_NEAR(student_quantile(0.8, rows[i].freedom), rows[i].fifth, 6e-4);
		CHECK_NEAR(student_quantile(0.2, rows[i].freedom), -rows[i].fifth, 6e-4);
	}
	CHECK_NEAR(student_quantile(0.5, 7), 0, 1e-12);
	CHECK_NEAR(student_quantile(0.975, 1000000), 1.962, 6e-4);
}

TEST(student__quantile_of_nonsense)
{
	CHECK(isnan(student_quantile(0.975, 0)) && isnan(student_quantile(NAN, 3)) &&
	      isnan(student_distribution(NAN, 3)) && isnan(student_distribution(0, 0)));
	CHECK(student_quantile(0, 3) < 0 && isinf(student_quantile(0, 3)) &&
	      student_quantile(2, 3) > 0 && isinf(student_quantile(2, 3)));
	CHECK_NEAR(student_distribution(INFINITY, 4), 1, 0);
	CHECK_NEAR(student_distribution(-INFINITY, 4), 0, 0);
	CHECK(isfinite(student_quantile(1 - 1e-16, 1)));
}

TEST(student__distribution_is_the_inverse)
{
	for (size_t freedom = 1; freedom < 40; freedom++)
		for (double p = 0.01; p < 1; p += 0.07)
			CHECK_NEAR(student_distribution(student_quantile(p, freedom), freedom), p,
				   1e-12);
}
