/* SPDX-License-Identifier: Apache-2.0 */
/* How a bucket scales: which function of the load predicts it best. */
#include "analysis/differential/fit.h"

#include <math.h>

/*
 * of the largest measurement: smaller ones count as that much, so that errors near 0 do not decide
 */
#define ABSOLUTE 0.01
#define ALIKE 0.01 /* relative error up to which a constant is good enough */
/* of the error of the best class without a free exponent */
#define POWER_GAIN 0.5

struct points {
	const struct load *items;
	size_t nr;
	double least_scale;
};

/* Errors of one class, cross-validated: each load predicted from the others. */
struct errors {
	/* of squared relative errors; INFINITY: the class does not apply */
	double mean;
	double uncertainty; /* standard error of the mean */
};

const char *fit_class_name(enum fit_class class)
{
	static const char *const names[] = {
#define X(id, name) name,
		FIT_CLASS_LIST(X)
#undef X
	};

	return names[class];
}

/* g(work), of a power its logarithm; NAN where the class does not apply. */
static double transformed(enum fit_class class, double work)
{
	switch (class) {
	case FIT_LOGARITHMIC:
	case FIT_POWER: return log(work);
	case FIT_LINEAR: return work;
	case FIT_LINEARITHMIC: return work >= 1 ? work * log(work) : NAN; /* not monotonic below */
	case FIT_QUADRATIC: return work * work;
	default: return 0;
	}
}

/*
 * A line is fitted to these, weighted so that errors are relative; those of the logarithms of a
 * power are so already.
 */
struct point {
	double at, value, weight;
};

static double scale_of(const struct points *points, size_t i)
{
	return fmax(fabs(points->items[i].measured), points->least_scale);
}

static struct point point_of(const struct points *points, enum fit_class class, size_t i)
{
	double at = transformed(class, points->items[i].work), scale = scale_of(points, i);

	if (class == FIT_POWER)
		return (struct point){ at, log(points->items[i].measured), 1 };
	return (struct point){ at, points->items[i].measured, 1 / (scale * scale) };
}

/*
 * By weighted least squares through the points of all loads but one; NAN: of all. False: the class
 * does not apply.
 */
static bool fit_class_to(const struct points *points, enum fit_class class, double left_out,
			 struct growth *out)
{
	struct point centre = { 0 };
	double spread = 0, products = 0, slope;

	for (size_t i = 0; i < points->nr; i++) {
		struct point point = point_of(points, class, i);

		if (points->items[i].work == left_out)
			continue;
		centre.weight += point.weight;
		centre.at += (point.at - centre.at) * point.weight / centre.weight;
		centre.value += (point.value - centre.value) * point.weight / centre.weight;
	}
	for (size_t i = 0; i < points->nr; i++) {
		struct point point = point_of(points, class, i);

		if (points->items[i].work == left_out)
			continue;
		spread += point.weight * (point.at - centre.at) * (point.at - centre.at);
		products += point.weight * (point.at - centre.at) * (point.value - centre.value);
	}
	slope = class == FIT_CONSTANT ? 0 : products / spread;
	*out = (struct growth){ .valid = true,
				.class = class,
				.offset = centre.value - slope * centre.at,
				.factor = slope };
	if (class == FIT_POWER)
		*out = (struct growth){
			.valid = true, .class = class, .factor = exp(out->offset), .exponent = slope
		};
	return isfinite(out->offset) && isfinite(out->factor) && isfinite(out->exponent);
}

double fit_growth_at(const struct growth *growth, double work)
{
	if (growth->class == FIT_POWER)
		return growth->factor * pow(work, growth->exponent);
	return growth->offset + growth->factor * transformed(growth->class, work);
}

static bool is_first(const struct points *points, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (points->items[j].work == points->items[i].work)
			return false;
	return true;
}

static double squared_error(const struct points *points, const struct growth *growth, double work)
{
	double sum = 0, nr = 0;

	for (size_t i = 0; i < points->nr; i++)
		if (points->items[i].work == work) {
			double error = (points->items[i].measured - fit_growth_at(growth, work)) /
				       scale_of(points, i);

			sum += error * error;
			nr++;
		}
	return sum / nr;
}

static struct errors cross_validated(const struct points *points, enum fit_class class)
{
	struct errors errors = { 0 };
	double nr = 0, squares = 0;

	for (size_t i = 0; i < points->nr; i++) {
		struct growth growth;
		double error, deviation;

		if (!is_first(points, i))
			continue;
		if (!fit_class_to(points, class, points->items[i].work, &growth))
			return (struct errors){ INFINITY, 0 };
		error = squared_error(points, &growth, points->items[i].work);
		deviation = error - errors.mean;
		errors.mean += deviation / ++nr;
		squares += deviation * (error - errors.mean);
	}
	errors.uncertainty = sqrt(squares / (nr - 1) / nr);
	return errors;
}

/* NULL: there is something to choose. */
static const char *points_init(struct points *points, const struct load *loads, size_t nr)
{
	size_t different = 0;

	*points = (struct points){ loads, nr, 0 };
	for (size_t i = 0; i < nr; i++) {
		if (!(loads[i].work > 0 && isfinite(loads[i].work)))
			return "growth needs positive loads";
		if (!isfinite(loads[i].measured))
			return "a measurement is missing";
		points->least_scale = fmax(points->least_scale, ABSOLUTE * fabs(loads[i].measured));
		different += is_first(points, i);
	}
	return different < 3 ? "growth needs three different loads" : NULL;
}

static enum fit_class choose(const struct points *points, struct errors *errors_out)
{
	struct errors constant = cross_validated(points, FIT_CONSTANT),
		      power = cross_validated(points, FIT_POWER), best = { INFINITY, 0 };
	enum fit_class class = FIT_CONSTANT;

	for (enum fit_class other = FIT_LOGARITHMIC; other <= FIT_QUADRATIC; other++) {
		struct errors errors = cross_validated(points, other);

		if (errors.mean < best.mean) {
			best = errors;
			class = other;
		}
	}
	if (best.mean > ALIKE * ALIKE && power.mean < POWER_GAIN * POWER_GAIN * best.mean) {
		best = power;
		class = FIT_POWER;
	}
	if (constant.mean <= ALIKE * ALIKE || constant.mean <= best.mean + best.uncertainty) {
		best = constant;
		class = FIT_CONSTANT;
	}
	*errors_out = best;
	return class;
}

struct growth fit_growth(const struct load *loads, size_t nr)
{
	struct points points;
	struct errors errors;
	struct growth growth = { .valid = false };
	enum fit_class class;

	growth.why = points_init(&points, loads, nr);
	if (growth.why)
		return growth;
	if (points.least_scale == 0)
		return (struct growth){ .valid = true, .class = FIT_CONSTANT };
	class = choose(&points, &errors);
	fit_class_to(&points, class, NAN, &growth);
	growth.error = sqrt(errors.mean);
	return growth;
}
