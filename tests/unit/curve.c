/* SPDX-License-Identifier: Apache-2.0 */
/* Curves of each class of growth, with their bands. */
#include "analysis/differential/curve.h"

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

#define LOADS 6
#define REPEATS 3

static double grown(enum fit_class class, double work)
{
	switch (class) {
	case FIT_CONSTANT: return 100;
	case FIT_LOGARITHMIC: return 100 + 30 * log(work);
	case FIT_LINEAR: return 100 + 7 * work;
	case FIT_LINEARITHMIC: return 100 + 3 * work * log(work);
	case FIT_QUADRATIC: return 100 + 0.5 * work * work;
	default: return 20 * pow(work, 1.5);
	}
}

/*
 * Of each class, with errors of 0.2 % that cancel out: the curve is the planted one, the band has
 * it in it and is as narrow as the errors allow.
 */
TEST(curve__of_each_class)
{
	struct arena *arena = arena_new();

	for (int class = 0; class < FIT_CLASSES; class ++) {
		struct load loads[LOADS * REPEATS];
		struct curve curve;

		for (int i = 0; i < LOADS * REPEATS; i++) {
			double work = 2 << i / REPEATS;

			loads[i] = (struct load){ work, grown((enum fit_class) class, work) *
								(1 + 0.002 * (i % REPEATS - 1)) };
		}
		curve = curve_fit(arena, loads, LOADS * REPEATS);
		CHECK(curve.valid);
		CHECK_INT(curve.growth.class, class);
		for (double work = 2; work <= 128; work *= 2) {
			double value = grown((enum fit_class) class, work);
			struct interval band = curve_band(&curve, work, 0.95);

			CHECK_NEAR(curve_at(&curve, work) / value, 1, 0.01);
			CHECK(band.low <= value * 1.0001 && band.high >= value * 0.9999);
			CHECK(band.high > band.low && band.high - band.low < 0.02 * value + 4);
		}
	}
	arena_free(arena);
}

/* By hand: mean 1000, standard deviation 0.2 of five, t(0.975, 4) = 2.776. */
TEST(curve__band_of_a_constant)
{
	struct arena *arena = arena_new();
	static const double values[] = { 1000.0, 1000.2, 999.8, 1000.2, 999.8 };
	struct load loads[5];
	struct curve curve;
	struct interval band;

	for (int i = 0; i < 5; i++)
		loads[i] = (struct load){ i + 1, values[i] };
	curve = curve_fit(arena, loads, 5);
	band = curve_band(&curve, 17, 0.95);
	CHECK_INT(curve.growth.class, FIT_CONSTANT);
	CHECK_NEAR(curve_at(&curve, 17), 1000, 1e-9);
	CHECK_NEAR(band.high - 1000, 2.776 * 0.2 / sqrt(5), 1e-4);
	CHECK_NEAR(1000 - band.low, 2.776 * 0.2 / sqrt(5), 1e-4);
	arena_free(arena);
}

TEST(curve__too_few_loads)
{
	struct arena *arena = arena_new();
	static const struct load loads[] = { { 1, 2 }, { 2, 3 }, { 2, 3.1 } };
	struct curve curve = curve_fit(arena, loads, 3);

	CHECK(!curve.valid);
	CHECK(curve.why != NULL);
	arena_free(arena);
}
