/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and power laws through many loads, and where they reach a bound. */
#include "analysis/differential/fit.h"

#include <math.h>

#include "analysis/base/student.h"

/*
 * of the loads, below which they do not differ, and of the measurements, below which residuals are
 * 0
 */
#define ROUNDING 1e-12

static struct fit not_fitted(const char *why)
{
	return (struct fit){ .valid = false, .why = why, .residual = NAN };
}

static struct load transformed(struct load load, bool power_law)
{
	return power_law ? (struct load){ log(load.work), log(load.measured) } : load;
}

static double residual_of(const struct fit *fit, const struct load *loads, size_t nr)
{
	double squares = 0, size = 0;

	if (nr < 3)
		return NAN;
	for (size_t i = 0; i < nr; i++) {
		struct load load = transformed(loads[i], fit->power_law);
		double residual = load.measured - fit->offset - fit->slope * load.work;

		squares += residual * residual;
		size += load.measured * load.measured;
	}
	return squares <= size * ROUNDING * ROUNDING ? 0 : sqrt(squares / (double)(nr - 2));
}

static struct fit fitted(const struct load *loads, size_t nr, bool power_law)
{
	struct fit fit = { .valid = true, .power_law = power_law, .nr = nr };
	double measured = 0, products = 0, largest = 0;

	for (size_t i = 0; i < nr; i++) {
		struct load load = transformed(loads[i], power_law);

		if (!isfinite(load.work) || !isfinite(load.measured))
			return not_fitted("a load or a measurement is missing");
		fit.centre += load.work / (double)nr;
		measured += load.measured / (double)nr;
		largest = fmax(largest, fabs(load.work));
	}
	for (size_t i = 0; i < nr; i++) {
		struct load load = transformed(loads[i], power_law);

		fit.spread += (load.work - fit.centre) * (load.work - fit.centre);
		products += (load.work - fit.centre) * (load.measured - measured);
	}
	if (!(sqrt(fit.spread) > largest * ROUNDING))
		return not_fitted("a fit needs two different loads");
	fit.slope = products / fit.spread;
	fit.offset = measured - fit.slope * fit.centre;
	fit.residual = residual_of(&fit, loads, nr);
	return fit;
}

struct fit fit_line(const struct load *loads, size_t nr)
{
	return fitted(loads, nr, false);
}

struct fit fit_power(const struct load *loads, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (loads[i].work <= 0 || loads[i].measured <= 0)
			return not_fitted("a power law needs positive loads and measurements");
	return fitted(loads, nr, true);
}

double fit_at(const struct fit *fit, double work)
{
	return fit->power_law ? exp(fit->offset + fit->slope * log(work))
			      : fit->offset + fit->slope * work;
}

/* Of the residuals, as Student's t; INFINITY where they are not known. */
static double quantile(const struct fit *fit, double confidence)
{
	return fit->nr > 2 ? student_quantile(0.5 + confidence / 2, fit->nr - 2) : INFINITY;
}

struct interval fit_band(const struct fit *fit, double work, double confidence)
{
	double at = fit->power_law ? log(work) : work, middle = fit->offset + fit->slope * at,
	       half_width = INFINITY;

	if (fit->nr > 2)
		half_width = quantile(fit, confidence) * fit->residual *
			     sqrt(1 / (double)fit->nr +
				  (at - fit->centre) * (at - fit->centre) / fit->spread);
	if (fit->power_law)
		return (struct interval){ exp(middle - half_width), exp(middle + half_width) };
	return (struct interval){ middle - half_width, middle + half_width };
}

/*
 * Distances u from the centre at which the band has the bound, which is `above` the mean
 * measurement, in it: (slope u - above)^2 <= t^2 residual^2 (1/n + u^2 / spread), a quadratic
 * inequality in u. Where the slope may be 0, the loads are not bounded above.
 */
static struct interval distances(const struct fit *fit, double above, double t)
{
	double error = t * t * fit->residual * fit->residual;
	double leading = fit->slope * fit->slope - error / fit->spread, half = fit->slope * above;
	/* half^2 less the product of leading and constant term */
	double root = error * (leading / (double)fit->nr + above * above / fit->spread);

	if (fit->nr < 3 || root < 0)
		return (struct interval){ -INFINITY, INFINITY };
	root = sqrt(root);
	if (leading > 0)
		return (struct interval){ (half - root) / leading, (half + root) / leading };
	/*
	 * Outside of both roots: the load is in the part beyond the larger one, or in the part
	 * below the smaller one.
	 */
	if (leading < 0 && above > 0)
		return (struct interval){ (half - root) / leading, INFINITY };
	return (struct interval){ -INFINITY, INFINITY };
}

struct projection fit_saturation(const struct fit *fit, double bound, double confidence)
{
	struct projection projection = { .valid = false };
	double above;
	struct interval from_centre;

	if (!fit->valid)
		projection.why = fit->why;
	else if (!(bound > 0 && isfinite(bound)))
		projection.why = "the projection needs a positive bound";
	else if (!(confidence > 0 && confidence < 1))
		projection.why = "the confidence is not between 0 and 1";
	else if (!(fit->slope > 0))
		projection.why = "the measurement does not grow with the load";
	if (projection.why)
		return projection;
	above = (fit->power_law ? log(bound) : bound) - fit->offset - fit->slope * fit->centre;
	from_centre = distances(fit, above, quantile(fit, confidence));
	projection.load = fit->centre + above / fit->slope;
	projection.interval = (struct interval){ fit->centre + from_centre.low,
						 fit->centre + from_centre.high };
	if (fit->power_law) {
		projection.load = exp(projection.load);
		projection.interval = (struct interval){ exp(projection.interval.low),
							 exp(projection.interval.high) };
	}
	projection.interval.low = fmax(0, projection.interval.low);
	projection.valid = isfinite(projection.load) && projection.load > 0;
	if (!projection.valid)
		projection.why = "the projected load is out of range";
	return projection;
}
