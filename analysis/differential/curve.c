/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/differential/curve.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/base/student.h"

/* g(work) of a class, by the growth whose factor is 1. */
static double transformed(enum fit_class class, double work)
{
	struct growth growth = { .class = class, .factor = 1 };

	return fit_growth_at(&growth, work);
}

static void fit_constant(struct curve *curve, const struct load *loads, size_t nr)
{
	double squares = 0;

	for (size_t i = 0; i < nr; i++)
		curve->mean += loads[i].measured / (double)nr;
	for (size_t i = 0; i < nr; i++)
		squares += (loads[i].measured - curve->mean) * (loads[i].measured - curve->mean);
	curve->error = sqrt(squares / (double)(nr - 1) / (double)nr);
	curve->nr = nr;
}

static struct fit fit_class(struct arena *arena, const struct load *loads, size_t nr,
			    enum fit_class class)
{
	struct load *lines = arena_alloc(arena, nr * sizeof(*lines));

	if (class == FIT_POWER)
		return fit_power(loads, nr);
	if (!lines)
		return (struct fit){ .why = "out of memory" };
	for (size_t i = 0; i < nr; i++)
		lines[i] = (struct load){ transformed(class, loads[i].work), loads[i].measured };
	return fit_line(lines, nr);
}

struct curve curve_fit(struct arena *arena, const struct load *loads, size_t nr)
{
	struct curve curve = { .growth = fit_growth(loads, nr) };

	curve.valid = curve.growth.valid;
	curve.why = curve.growth.why;
	if (!curve.valid)
		return curve;
	if (curve.growth.class == FIT_CONSTANT) {
		fit_constant(&curve, loads, nr);
		return curve;
	}
	curve.fit = fit_class(arena, loads, nr, curve.growth.class);
	curve.valid = curve.fit.valid;
	curve.why = curve.fit.why;
	return curve;
}

static double load_of(const struct curve *curve, double work)
{
	return curve->growth.class == FIT_POWER ? work : transformed(curve->growth.class, work);
}

double curve_at(const struct curve *curve, double work)
{
	return curve->growth.class == FIT_CONSTANT ? curve->mean
						   : fit_at(&curve->fit, load_of(curve, work));
}

struct interval curve_band(const struct curve *curve, double work, double confidence)
{
	double half;

	if (curve->growth.class != FIT_CONSTANT)
		return fit_band(&curve->fit, load_of(curve, work), confidence);
	half = student_quantile(0.5 + confidence / 2, curve->nr - 1) * curve->error;
	return (struct interval){ curve->mean - half, curve->mean + half };
}
