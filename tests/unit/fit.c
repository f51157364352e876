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
	/* t of 2 degrees of freedom: 4.303 */
	band = fit_band(&fit, 2.5, 0.95);
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
	CHECK_NEAR(at.load, 9, 1e-12); /* Table 1, memory */
	CHECK_NEAR(at.load, combine(COMBINE_SATURATION, loads[0], loads[1], 100).value, 1e-12);
	CHECK(at.interval.low == 0 && isinf(at.interval.high));
	at = fit_saturation(&power, 100, 0.95);
	CHECK(at.valid);
	CHECK_NEAR(at.load, combine(COMBINE_SATURATION_POWER, loads[0], loads[1], 100).value,
		   1e-12);
	CHECK(at.interval.low == 0 && isinf(at.interval.high));
	CHECK(isinf(fit_band(&line, 3, 0.95).low) && fit_band(&power, 3, 0.95).low == 0 &&
	      isinf(fit_band(&power, 3, 0.95).high));
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
			powers[i] = (struct load){ work,
						   3 * pow(work, 1.5) * exp(0.05 * normal()) };
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
	static const struct load one[] = { { 1, 5 } }, same[] = { { 2, 5 }, { 2, 6 }, { 2, 7 } },
				 missing[] = { { 1, 5 }, { 2, NAN }, { 3, 6 } };
	static const struct load falls[] = { { 1, 5 }, { 2, 4 }, { 3, 3 } },
				 zero[] = { { 0, 0 }, { 1, 2 }, { 2, 4 } };
	struct fit fit = fit_line(falls, 3);

	CHECK_STR(fit_line(one, 1).why, "a fit needs two different loads");
	CHECK_STR(fit_line(one, 0).why, "a fit needs two different loads");
	CHECK_STR(fit_line(same, 3).why, "a fit needs two different loads");
	CHECK_STR(fit_line(missing, 3).why, "a load or a measurement is missing");
	CHECK_STR(fit_power(missing, 3).why, "a load or a measurement is missing");
	CHECK_STR(fit_power(zero, 3).why, "a power law needs positive loads and measurements");
	CHECK(fit_line(zero, 3).valid);
	CHECK_STR(fit_saturation(&fit, 100, 0.95).why,
		  "the measurement does not grow with the load");
	fit = fit_line(zero, 3);
	CHECK_STR(fit_saturation(&fit, 0, 0.95).why, "the projection needs a positive bound");
	CHECK_STR(fit_saturation(&fit, NAN, 0.95).why, "the projection needs a positive bound");
	CHECK_STR(fit_saturation(&fit, 100, 1).why, "the confidence is not between 0 and 1");
	fit = fit_line(same, 3);
	CHECK_STR(fit_saturation(&fit, 100, 0.95).why, "a fit needs two different loads");
}

/* The paper's example of eq. 6: r = 0.05 and s = 0.73, which saturates at 1.37. */
TEST(fit__contention)
{
	struct contention paper = { .valid = true, .r = 0.05, .s = 0.73 }, fit;
	struct load loads[7];

	for (size_t i = 0; i < 7; i++) {
		loads[i].work = i < 6 ? 0.2 * (double)(i + 1) : 1.3;
		loads[i].measured = fit_contention_at(&paper, loads[i].work);
	}
	CHECK_NEAR(loads[4].measured, 0.05 * 0.73 / 0.27, 1e-12);
	CHECK(isinf(fit_contention_at(&paper, 1.37)) &&
	      isfinite(fit_contention_at(&paper, 1.3698)));
	fit = fit_contention(loads, 7, 0.95);
	CHECK(fit.valid);
	CHECK_NEAR(fit.r, 0.05, 1e-6);
	CHECK_NEAR(fit.s, 0.73, 1e-6);
	CHECK_NEAR(1 / fit.s, 1.37, 0.001);
	CHECK_NEAR(fit.residual, 0, 1e-6);
	CHECK_NEAR(fit.saturation.low, 1.37, 0.001);
	CHECK_NEAR(fit.saturation.high, 1.37, 0.001);
	/* Two loads have one curve, of which the error is not known. */
	fit = fit_contention(loads + 2, 2, 0.95);
	CHECK(fit.valid && isnan(fit.residual));
	CHECK_NEAR(fit.s, 0.73, 1e-6);
	CHECK_NEAR(fit.saturation.low, loads[3].work, 1e-12);
	CHECK(isinf(fit.saturation.high));
}

TEST(fit__contention_intervals_cover_the_load)
{
	const unsigned long trials = test_sample(500, 5000);
	struct contention truth = { .valid = true, .r = 2, .s = 0.05 };
	unsigned long covered = 0;

	for (unsigned long trial = 0; trial < trials; trial++) {
		struct load loads[10];
		struct contention fit;

		for (size_t i = 0; i < 10; i++) {
			loads[i].work = 2 + 3 * (double)(i / 2);
			loads[i].measured = fit_contention_at(&truth, loads[i].work) *
					    exp(0.1 * normal());
		}
		fit = fit_contention(loads, 10, 0.95);
		CHECK(fit.valid);
		covered += fit.saturation.low <= 20 && 20 <= fit.saturation.high;
	}
	CHECK_NEAR((double)covered / (double)trials, 0.95, 0.03);
}

TEST(fit__contention_of_bad_loads)
{
	static const struct load zero[] = { { 0, 1 }, { 1, 2 } }, same[] = { { 2, 1 }, { 2, 2 } },
				 missing[] = { { 1, NAN }, { 2, 2 } };
	static const struct load linear[] = { { 1, 3 }, { 2, 6 }, { 4, 12 } },
				 slower[] = { { 1, 3 }, { 2, 5 }, { 4, 7 } };
	struct load rounded[6];

	CHECK_STR(fit_contention(zero, 2, 0.95).why,
		  "contention needs positive loads and measurements");
	CHECK_STR(fit_contention(missing, 2, 0.95).why,
		  "contention needs positive loads and measurements");
	CHECK_STR(fit_contention(same, 2, 0.95).why, "a fit needs two different loads");
	CHECK_STR(fit_contention(same, 0, 0.95).why, "a fit needs two different loads");
	CHECK_STR(fit_contention(slower, 3, 0.95).why,
		  "the measurement grows no faster than the load");
	CHECK_STR(fit_contention(linear, 3, 0.95).why,
		  "the measurement grows no faster than the load");
	for (size_t i = 0; i < 6; i++)
		rounded[i] = (struct load){ 0.1 * (double)(i + 1), 0.7 * (double)(i + 1) / 3 };
	CHECK_STR(fit_contention(rounded, 6, 0.95).why,
		  "the measurement grows no faster than the load");
	CHECK_STR(fit_contention(slower, 3, 0).why, "the confidence is not between 0 and 1");
}

/*
 * A lock held for 4 us at once and 30 % of the run under 2 threads is always held from 6.7 threads
 * on.
 */
TEST(fit__contention_from_hold_time)
{
	struct contention of = fit_contention_held(4, 0.3, 2);

	CHECK(of.valid);
	CHECK_NEAR(of.s, 0.15, 1e-15);
	CHECK_NEAR(of.saturation.low, 2 / 0.3, 1e-12);
	CHECK_NEAR(fit_contention_at(&of, 2), 4 * 0.3 / 0.7, 1e-12);
	CHECK(isinf(fit_contention_at(&of, 7)));
	CHECK_STR(fit_contention_held(0, 0.3, 2).why,
		  "contention needs a positive hold time and load");
	CHECK_STR(fit_contention_held(4, 0.3, NAN).why,
		  "contention needs a positive hold time and load");
	CHECK_STR(fit_contention_held(4, 1.1, 2).why,
		  "the share of the run is not between 0 and 1");
	CHECK_STR(fit_contention_held(4, 0, 2).why, "the share of the run is not between 0 and 1");
}

/* Eq. 7: the curve goes through the measurement error at load b, and the budget at load c. */
TEST(fit__hidden_contention)
{
	static const double cases[][4] = { { 0.01, 1, 1, 2 },
					   { 0.02, 2, 5, 16 },
					   { 1, 1, 100, 99 } };

	for (size_t i = 0; i < NR(cases); i++) {
		double error = cases[i][0], load = cases[i][1], budget = cases[i][2],
		       most = cases[i][3];
		struct contention of = fit_contention_hidden(error, load, budget, most);

		CHECK(of.valid && of.r > 0 && of.s > 0);
		CHECK_NEAR(fit_contention_at(&of, load) / error, 1, 1e-9);
		CHECK_NEAR(fit_contention_at(&of, most) / budget, 1, 1e-9);
		CHECK_THAT(of.saturation.low, >, most);
		/* Extrapolated in proportion, the error stays far below the budget. */
		CHECK_THAT(error * most / load, <, budget);
	}
	CHECK_NEAR(fit_contention_hidden(0.01, 1, 1, 2).s, 0.98 / 1.98, 1e-12);
	CHECK_NEAR(fit_contention_hidden(0.01, 1, 1, 2).r, 0.01 / 0.98, 1e-12);
	CHECK_STR(fit_contention_hidden(0.5, 1, 1, 2).why,
		  "growth in proportion to the load takes up the budget already");
	CHECK_STR(fit_contention_hidden(0.01, 2, 1, 2).why, "the projection needs a larger load");
	CHECK_STR(fit_contention_hidden(0, 1, 1, 2).why,
		  "contention needs positive loads, a positive error and a positive budget");
	CHECK_STR(fit_contention_hidden(0.01, 1, 1, NAN).why,
		  "contention needs positive loads, a positive error and a positive budget");
}

static double growing(enum fit_class class, double work)
{
	switch (class) {
	case FIT_CONSTANT: return 700;
	case FIT_LOGARITHMIC: return 50 + 40 * log(work);
	case FIT_LINEAR: return 100 + 30 * work;
	case FIT_LINEARITHMIC: return 20 + 15 * work * log(work);
	case FIT_QUADRATIC: return 40 + 3 * work * work;
	default: return 8 * pow(work, 2.7);
	}
}

/* Threads 1 to 32, and three loads only. */
TEST(fit__growth_of_exact_counts)
{
	static const double threads[] = { 1, 2, 4, 8, 16, 32 };

	for (enum fit_class class = 0; class < FIT_CLASSES; class ++)
		for (size_t nr = 3; nr <= 6; nr += 3) {
			struct load loads[6];
			struct growth growth;

			for (size_t i = 0; i < nr; i++)
				loads[i] = (struct load){ threads[5 - i],
							  growing(class, threads[5 - i]) };
			growth = fit_growth(loads, nr);
			CHECK(growth.valid);
			CHECK_STR(fit_class_name(growth.class), fit_class_name(class));
			CHECK_NEAR(growth.error, 0, 1e-6);
			CHECK_NEAR(fit_growth_at(&growth, 64) / growing(class, 64), 1, 1e-9);
			CHECK_NEAR(growth.exponent, class == FIT_POWER ? 2.7 : 0, 1e-9);
		}
}

/* With errors of 2 % in 3 runs of each load, the class is right nearly always. */
TEST(fit__growth_of_times)
{
	static const double threads[] = { 1, 2, 4, 8, 16, 32 };
	const unsigned long trials = test_sample(200, 2000);

	for (enum fit_class class = 0; class < FIT_CLASSES; class ++) {
		unsigned long right = 0;

		for (unsigned long trial = 0; trial < trials; trial++) {
			struct load loads[18];
			struct growth growth;

			for (size_t i = 0; i < 18; i++)
				loads[i] = (struct load){ threads[i / 3],
							  growing(class, threads[i / 3]) *
								  (1 + 0.02 * normal()) };
			growth = fit_growth(loads, 18);
			right += growth.class == class;
			CHECK_THAT(growth.error, <, 0.1);
		}
		if ((double)right < 0.95 * (double)trials)
			test_fail(__FILE__, __LINE__, "%s: %lu of %lu", fit_class_name(class),
				  right, trials);
	}
}

/*
 * Perfect scaling of the work of one thread is a power with exponent -1; noise alone is constant.
 */
TEST(fit__growth_of_special_cases)
{
	static const struct load inverse[] = { { 1, 640 }, { 2, 320 }, { 4, 160 }, { 8, 80 } },
				 noise[] = {
					 { 1, 100 }, { 2, 112 }, { 4, 93 }, { 8, 104 }, { 16, 99 }
				 };
	static const struct load zero[] = { { 1, 0 }, { 2, 0 }, { 4, 0 } },
				 from_zero[] = { { 1, 0 }, { 2, 30 }, { 3, 60 }, { 5, 120 } };
	static const struct load hardly[] = { { 1, 1000 }, { 2, 1001 }, { 4, 1003 }, { 8, 1007 } };
	struct growth growth = fit_growth(inverse, 4);

	CHECK_INT(growth.class, FIT_POWER);
	CHECK_NEAR(growth.exponent, -1, 1e-12);
	CHECK_INT(fit_growth(noise, 5).class, FIT_CONSTANT);
	growth = fit_growth(zero, 3);
	CHECK(growth.valid && growth.class == FIT_CONSTANT && fit_growth_at(&growth, 8) == 0 &&
	      growth.error == 0);
	growth = fit_growth(from_zero, 4);
	CHECK_INT(growth.class, FIT_LINEAR);
	CHECK_NEAR(fit_growth_at(&growth, 10), 270, 1e-9);
	CHECK_INT(fit_growth(hardly, 4).class, FIT_CONSTANT);
}

TEST(fit__growth_of_bad_loads)
{
	static const struct load two[] = { { 1, 1 }, { 2, 2 }, { 2, 3 }, { 1, 1 } },
				 zero[] = { { 0, 1 }, { 2, 2 }, { 3, 3 } };
	static const struct load missing[] = { { 1, 1 }, { 2, NAN }, { 3, 3 } };

	CHECK_STR(fit_growth(two, 4).why, "growth needs three different loads");
	CHECK_STR(fit_growth(two, 0).why, "growth needs three different loads");
	CHECK_STR(fit_growth(zero, 3).why, "growth needs positive loads");
	CHECK_STR(fit_growth(missing, 3).why, "a measurement is missing");
	CHECK(!fit_growth(two, 4).valid);
}
