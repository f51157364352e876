/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals, detectable changes and false discoveries against simulation: each claims a probability. */
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

/* All have mean 1. Times are one-sided: nothing makes a run faster than undisturbed, and some runs are disturbed much. */
static double drawn(enum shape shape)
{
	switch (shape) {
	case NORMAL:
		return 1 + SCATTER * normal();
	case LOGNORMAL:
		return exp(5 * SCATTER * normal() - 12.5 * SCATTER * SCATTER);
	case ONE_SIDED:
		return 1 - SCATTER * (1 + log(uniform()));
	case OUTLIERS:
		return (1 + SCATTER / 5 * normal() + (uniform() < 0.1 ? 5 * SCATTER : 0)) / (1 + SCATTER / 2);
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
	static const size_t sizes[][2] = { { 2, 2 }, { 3, 3 }, { 4, 4 }, { 5, 5 }, { 10, 5 }, { 10, 10 }, { 20, 20 } };
	const unsigned long trials = test_sample(500, 5000);

	for (enum shape shape = NORMAL; shape <= OUTLIERS; shape++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
			unsigned long covered = 0;

			for (unsigned long trial = 0; trial < trials; trial++) {
				double a[20], b[20];
				struct interval ratio;

				draw(shape, a, sizes[s][0], 1000);
				draw(shape, b, sizes[s][1], 1200);
				CHECK(statistics_ratio_interval(a, sizes[s][0], b, sizes[s][1], 0.95, &ratio));
				covered += ratio.low <= 1.2 && 1.2 <= ratio.high;
			}
			CHECK((double)covered > 0.925 * (double)trials);
		}
}
