/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals, detectable changes and false discoveries against simulation: each claims a
 * probability.
 */
#include "analysis/differential/statistics.h"

#include <stdint.h>

#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define SCATTER 0.05

enum shape { NORMAL, LOGNORMAL, ONE_SIDED, OUTLIERS };

static double uniform(void)
{
	return ((double)(pick(1ull << 52)) + 0.5) / (double)(1ull << 52);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/*
 * All have mean 1. Times are one-sided: nothing makes a run faster than undisturbed, and some runs
 * are disturbed much.
 */
static double drawn(enum shape shape)
{
	switch (shape) {
	case NORMAL: return 1 + SCATTER * normal();
	case LOGNORMAL: return exp(5 * SCATTER * normal() - 12.5 * SCATTER * SCATTER);
	case ONE_SIDED: return 1 - SCATTER * (1 + log(uniform()));
	case OUTLIERS:
		return (1 + SCATTER / 5 * normal() + (uniform() < 0.1 ? 5 * SCATTER : 0)) /
		       (1 + SCATTER / 2);
	}
	return NAN;
}

static void draw(enum shape shape, double *values, size_t nr, double factor)
{
	for (size_t i = 0; i < nr; i++)
		values[i] = factor * drawn(shape);
}

/* 95 % intervals of a true ratio of 1.2; 500 trials have a standard error of 1 %. */
TEST(statistics_simulated__intervals_cover)
{
	static const size_t sizes[][2] = { { 2, 2 },  { 3, 3 },   { 4, 4 },  { 5, 5 },
					   { 10, 5 }, { 10, 10 }, { 20, 20 } };
	const unsigned long trials = test_sample(500, 5000);

	for (enum shape shape = NORMAL; shape <= OUTLIERS; shape++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
			unsigned long covered = 0;

			for (unsigned long trial = 0; trial < trials; trial++) {
				double a[20], b[20];
				struct interval ratio;

				draw(shape, a, sizes[s][0], 1000);
				draw(shape, b, sizes[s][1], 1200);
				CHECK(statistics_ratio_interval(a, sizes[s][0], b, sizes[s][1],
								0.95, &ratio));
				covered += ratio.low <= 1.2 && 1.2 <= ratio.high;
			}
			CHECK_THAT((double)covered, >, 0.925 * (double)trials);
		}
}

/*
 * The share of trials in which the rank test at `level` finds the second group larger by `change`.
 */
static double found(size_t na, size_t nb, double level, double change, unsigned long trials)
{
	unsigned long nr = 0;

	for (unsigned long trial = 0; trial < trials; trial++) {
		double a[100], b[100];

		draw(NORMAL, a, na, 1);
		draw(NORMAL, b, nb, 1);
		for (size_t i = 0; i < nb; i++)
			b[i] += change;
		nr += statistics_rank_test(a, na, b, nb) <= level;
	}
	return (double)nr / (double)trials;
}

/*
 * A change of the size that is said to be detectable is found as often as said. 3000 trials have a
 * standard error of 0.7 %.
 */
TEST(statistics_simulated__detectable_shift_is_found)
{
	static const struct {
		size_t na, nb;
		double level, power;
	} rows[] = {
		{ 4, 4, 0.05, 0.8 },    { 5, 5, 0.05, 0.8 },     { 5, 5, 0.01, 0.9 },
		{ 10, 10, 0.05, 0.8 },  { 10, 10, 0.001, 0.95 }, { 3, 20, 0.05, 0.5 },
		{ 20, 20, 0.05, 0.8 },  { 20, 20, 0.0001, 0.8 }, { 30, 25, 0.00025, 0.8 },
		{ 70, 100, 0.01, 0.9 },
	};
	unsigned long trials = test_sample(3000, 30000);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double shift = statistics_detectable_shift(rows[i].na, rows[i].nb, rows[i].level,
							   rows[i].power);

		CHECK_NEAR(found(rows[i].na, rows[i].nb, rows[i].level, shift * SCATTER, trials),
			   rows[i].power, 0.035);
	}
}

/*
 * As statistics_detectable, with the scatter of the groups themselves, which is not known exactly:
 * a little less is found on average.
 */
TEST(statistics_simulated__detectable_change_is_found)
{
	unsigned long trials = test_sample(300, 3000);
	double power = 0, change = 0, shift = statistics_detectable_shift(10, 10, 0.05, 0.8);

	for (unsigned long trial = 0; trial < trials; trial++) {
		double a[10], b[10], detectable;

		draw(NORMAL, a, 10, 1);
		draw(NORMAL, b, 10, 1.5);
		for (size_t i = 0; i < 10; i++)
			b[i] = 1.5 + (b[i] - 1.5) / 1.5; /* the same scatter */
		detectable = shift * statistics_scatter(a, 10, b, 10);
		change += detectable / (double)trials;
		power += found(10, 10, 0.05, detectable, 20) / (double)trials;
	}
	CHECK_NEAR(power, 0.8, 0.05);
	/*
	 * Student's t test of 10 and 10 needs 1.32 standard deviations at 5 %, the rank test some
	 * more: its efficiency is 0.955, and it attains 4.3 % only.
	 */
	CHECK_NEAR(change, 1.40 * SCATTER, 0.05 * SCATTER);
}

/*
 * 1000 buckets, of which 100 differ, in the first half of the trials. At 10 % at most 9 % of the
 * rejected are false, as 9 in 10 do not differ (Benjamini & Hochberg 1995).
 */
TEST(statistics_simulated__false_discoveries_are_controlled)
{
	unsigned long trials = test_sample(40, 400), false_families = 0;
	double share = 0, power = 0;

	for (unsigned long trial = 0; trial < 2 * trials; trial++) {
		double p[1000], a[10], b[10];
		size_t rejected = 0, wrong = 0;

		for (size_t i = 0; i < 1000; i++) {
			draw(NORMAL, a, 10, 1);
			draw(NORMAL, b, 10, i < 100 && trial < trials ? 1 + 3 * SCATTER : 1);
			p[i] = statistics_rank_test(a, 10, b, 10);
		}
		statistics_adjust(p, p, 1000);
		for (size_t i = 0; i < 1000; i++)
			if (p[i] <= 0.1) {
				rejected++;
				wrong += i >= 100 || trial >= trials;
			}
		if (trial < trials) {
			share += rejected ? (double)wrong / (double)rejected / (double)trials : 0;
			power += (double)(rejected - wrong) / 100 / (double)trials;
		} else {
			false_families += rejected > 0;
		}
	}
	CHECK(share > 0.03 && share < 0.11);
	CHECK_THAT(power, >, 0.95);
	CHECK_THAT(false_families, <=, trials / 4); /* expected: 10 % of them at most */
}
