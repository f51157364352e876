/* SPDX-License-Identifier: Apache-2.0 */
/* Curves through many loads: exact data, printed values, and data with known errors. */
#include "analysis/differential/fit.h"

#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define NR(array) (sizeof(array) / sizeof(*(array)))

static double normal(void)
{
	double radius = sqrt(-2 * log(((double)pick(1u << 30) + 0.5) / (1u << 30)));

	return radius * cos(2 * M_PI * (double)pick(1u << 30) / (1u << 30));
}

TEST(fit__line)
{
	static const struct load exact[] = { { 1, 5 }, { 2, 8 }, { 4, 14 }, { 4, 14 }, { 10, 32 } };
	/* y = 1, 3, 2, 5 at 1 to 4: slope 1.1, residual sum of squares 2.7, by hand */
	static const struct load four[] = { { 1, 1 }, { 2, 3 }, { 3, 2 }, { 4, 5 } };
	struct fit fit = fit_line(exact, NR(exact));
	struct interval band;

	CHECK(fit.valid && !fit.why);
	CHECK_NEAR(fit.offset, 2, 1e-12);
	CHECK_NEAR(fit.slope, 3, 1e-12);
	CHECK_NEAR(fit.residual, 0, 0);
	CHECK_NEAR(fit_at(&fit, 20), 62, 1e-12);
	fit = fit_line(four, 4);
	CHECK_NEAR(fit.slope, 1.1, 1e-12);
	CHECK_NEAR(fit.offset, 0, 1e-12);
	CHECK_NEAR(fit.residual, sqrt(2.7 / 2), 1e-12);
	band = fit_band(&fit, 2.5, 0.95);                      /* t of 2 degrees of freedom: 4.303 */
	CHECK_NEAR(band.low, 2.75 - 4.303 * sqrt(1.35 / 4), 1e-3);
	CHECK_NEAR(band.high, 2.75 + 4.303 * sqrt(1.35 / 4), 1e-3);
	band = fit_band(&fit, 4, 0.95);
	CHECK_NEAR(band.high, 4.4 + 4.303 * sqrt(1.35 * (0.25 + 2.25 / 5)), 1e-3);
}

TEST(fit__power)
{
	static const struct load exact[] = { { 1, 3 }, { 2, 12 }, { 4, 48 }, { 8, 192 } };
	struct fit fit = fit_power(exact, NR(exact));
	struct interval band;

	CHECK(fit.valid);
	CHECK_NEAR(exp(fit.offset), 3, 1e-12);
	CHECK_NEAR(fit.slope, 2, 1e-12);
	CHECK_NEAR(fit.residual, 0, 0);
	CHECK_NEAR(fit_at(&fit, 10), 300, 1e-9);
	band = fit_band(&fit, 10, 0.95);
	CHECK_NEAR(band.low, 300, 1e-9);
	CHECK_NEAR(band.high, 300, 1e-9);
}

/* Two loads give what equations 4 and 5 give, with nothing known of the error. */
TEST(fit__two_loads_are_the_papers_equations)
{
	static const struct load loads[] = { { 1, 20 }, { 2, 30 } };
	struct fit line = fit_line(loads, 2), power = fit_power(loads, 2);
	struct projection at = fit_saturation(&line, 100, 0.95);

	CHECK(at.valid && isnan(line.residual));
	CHECK_NEAR(at.load, 9, 1e-12);                         /* Table 1, memory */
	CHECK_NEAR(at.load, combine(COMBINE_SATURATION, loads[0], loads[1], 100).value, 1e-12);
	CHECK(at.interval.low == 0 && isinf(at.interval.high));
	at = fit_saturation(&power, 100, 0.95);
	CHECK(at.valid);
	CHECK_NEAR(at.load, combine(COMBINE_SATURATION_POWER, loads[0], loads[1], 100).value, 1e-12);
	CHECK(at.interval.low == 0 && isinf(at.interval.high));
	CHECK(isinf(fit_band(&line, 3, 0.95).low) && fit_band(&power, 3, 0.95).low == 0 && isinf(fit_band(&power, 3, 0.95).high));
}

/* At both ends of the interval the band touches the bound. */
TEST(fit__interval_is_where_the_band_has_the_bound)
{
	static const struct load loads[] = { { 1, 11 }, { 1, 9 }, { 2, 21 }, { 4, 38 }, { 8, 82 } };
	struct fit fits[] = { fit_line(loads, NR(loads)), fit_power(loads, NR(loads)) };

	for (size_t i = 0; i < 2; i++) {
		struct projection at = fit_saturation(&fits[i], 200, 0.9);

		CHECK(at.valid && at.interval.low < at.load && at.load < at.interval.high);
		CHECK_NEAR(at.load, 20, 2);
		CHECK_NEAR(fit_band(&fits[i], at.interval.low, 0.9).high, 200, 1e-6);
		CHECK_NEAR(fit_band(&fits[i], at.interval.high, 0.9).low, 200, 1e-6);
	}
}

/* Growth that may be none: the load is not bounded above, but it is below. */
TEST(fit__uncertain_growth_may_never_saturate)
{
	static const struct load loads[] = { { 1, 10 }, { 2, 14 }, { 3, 9 }, { 4, 15 } };
	struct fit fit = fit_line(loads, NR(loads));
	struct projection at = fit_saturation(&fit, 1000, 0.95);

	CHECK(at.valid && at.load > 500);
	CHECK(isinf(at.interval.high) && at.interval.low > 100 && at.interval.low < at.load);
	CHECK_NEAR(fit_band(&fit, at.interval.low, 0.95).high, 1000, 1e-6);
}

TEST(fit__intervals_cover_the_load)
{
	const unsigned long trials = test_sample(2000, 20000);
	unsigned long line = 0, power = 0;

	for (unsigned long trial = 0; trial < trials; trial++) {
		struct load linear[6], powers[6];
		struct fit fit;
		struct projection at;

		for (size_t i = 0; i < 6; i++) {
			double work = (double)(1 + i);

			linear[i] = (struct load){ work, 5 + 2 * work + 0.5 * normal() };
			powers[i] = (struct load){ work, 3 * pow(work, 1.5) * exp(0.05 * normal()) };
		}
		fit = fit_line(linear, 6);
		at = fit_saturation(&fit, 100, 0.95);
		line += at.interval.low <= 47.5 && 47.5 <= at.interval.high;
		fit = fit_power(powers, 6);
		at = fit_saturation(&fit, 3 * 64, 0.95);
		power += at.interval.low <= 16 && 16 <= at.interval.high;
	}
	CHECK_NEAR((double)line / (double)trials, 0.95, 0.02);
	CHECK_NEAR((double)power / (double)trials, 0.95, 0.02);
}

TEST(fit__bad_loads)
{
	static const struct load one[] = { { 1, 5 } }, same[] = { { 2, 5 }, { 2, 6 }, { 2, 7 } }, missing[] = { { 1, 5 }, { 2, NAN }, { 3, 6 } };
	static const struct load falls[] = { { 1, 5 }, { 2, 4 }, { 3, 3 } }, zero[] = { { 0, 0 }, { 1, 2 }, { 2, 4 } };
	struct fit fit = fit_line(falls, 3);

	CHECK_STR(fit_line(one, 1).why, "a fit needs two different loads");
	CHECK_STR(fit_line(one, 0).why, "a fit needs two different loads");
	CHECK_STR(fit_line(same, 3).why, "a fit needs two different loads");
	CHECK_STR(fit_line(missing, 3).why, "a load or a measurement is missing");
	CHECK_STR(fit_power(missing, 3).why, "a load or a measurement is missing");
	CHECK_STR(fit_power(zero, 3).why, "a power law needs positive loads and measurements");
	CHECK(fit_line(zero, 3).valid);
	CHECK_STR(fit_saturation(&fit, 100, 0.95).why, "the measurement does not grow with the load");
	fit = fit_line(zero, 3);
	CHECK_STR(fit_saturation(&fit, 0, 0.95).why, "the projection needs a positive bound");
	CHECK_STR(fit_saturation(&fit, NAN, 0.95).why, "the projection needs a positive bound");
	CHECK_STR(fit_saturation(&fit, 100, 1).why, "the confidence is not between 0 and 1");
	fit = fit_line(same, 3);
	CHECK_STR(fit_saturation(&fit, 100, 0.95).why, "a fit needs two different loads");
}
