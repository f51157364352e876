/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contention for a critical section: fitted, from its hold time, and the most that a measurement
 * may hide.
 */
#include "analysis/differential/fit.h"

#include <math.h>

#include "analysis/base/student.h"

/* of the first search, as wide as a factor of 1.28 in the distance from saturation */
#define STEPS 120
#define DEEPEST 30.0 /* e^-30 is the closest to saturation that is tried */
#define BISECTIONS 60
#define ROUNDING 1e-12 /* of a measurement */

/*
 * The fit has one unknown but for a factor, which follows: how near the largest load is to
 * saturation, as depth = -log(1 - s x) there.
 *
 *     log(f / x) = log(r s) - log(1 - s x)
 */
struct sums {
	const struct load *loads;
	size_t nr;
	double largest; /* load */
};

static struct contention none(const char *why)
{
	return (struct contention){
		.valid = false, .why = why, .r = NAN, .s = NAN, .residual = NAN
	};
}

static double s_at(const struct sums *sums, double depth)
{
	return -expm1(-depth) / sums->largest;
}

/* Mean of log(r s), and with it the sum of squared residuals. */
static double squares(const struct sums *sums, double depth, double *log_rs_out)
{
	double s = s_at(sums, depth), mean = 0, sum = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < sums->nr; i++) {
			const struct load *load = &sums->loads[i];
			double distance = load->work == sums->largest ? -depth
								      : log1p(-s * load->work);
			double log_rs = log(load->measured / load->work) + distance;

			if (pass == 0)
				mean += log_rs / (double)sums->nr;
			else
				sum += (log_rs - mean) * (log_rs - mean);
		}
	*log_rs_out = mean;
	return sum;
}

/* By golden sections, between two depths with a minimum between them. */
static double minimum(const struct sums *sums, double low, double high)
{
	const double section = (sqrt(5) - 1) / 2;
	double log_rs;

	for (int i = 0; i < BISECTIONS; i++) {
		double left = high - section * (high - low), right = low + section * (high - low);

		if (squares(sums, left, &log_rs) <= squares(sums, right, &log_rs))
			high = right;
		else
			low = left;
	}
	return (low + high) / 2;
}

/* Where the squares reach `most` between the best depth and `end`; `end` if they do not. */
static double crossing(const struct sums *sums, double best, double end, double most)
{
	double log_rs;

	if (squares(sums, end, &log_rs) <= most)
		return end;
	for (int i = 0; i < BISECTIONS; i++) {
		double middle = best + (end - best) / 2;

		*(squares(sums, middle, &log_rs) <= most ? &best : &end) = middle;
	}
	return best;
}

static double deepest(const struct sums *sums)
{
	double best = 0, log_rs, least = squares(sums, 0, &log_rs);

	for (int i = 1; i <= STEPS; i++) {
		double depth = DEEPEST * i / STEPS, at = squares(sums, depth, &log_rs);

		if (at < least) {
			least = at;
			best = depth;
		}
	}
	return minimum(sums, fmax(0, best - DEEPEST / STEPS), best + DEEPEST / STEPS);
}

/*
 * The depths that fit not much worse: the F distribution of 1 and nr - 2 degrees of freedom, which
 * is Student's t squared.
 */
static struct interval saturation_interval(const struct sums *sums, double best, double least,
					   double confidence)
{
	double t, most;

	if (sums->nr < 3)
		return (struct interval){ sums->largest, INFINITY };
	t = student_quantile(0.5 + confidence / 2, sums->nr - 2);
	most = least * (1 + t * t / (double)(sums->nr - 2));
	return (struct interval){ 1 / s_at(sums, crossing(sums, best, DEEPEST, most)),
				  1 / s_at(sums, crossing(sums, best, 0, most)) };
}

/* NULL: they can be fitted. */
static const char *sums_init(struct sums *sums, const struct load *loads, size_t nr)
{
	double smallest = INFINITY;

	*sums = (struct sums){ loads, nr, 0 };
	for (size_t i = 0; i < nr; i++) {
		if (!(loads[i].work > 0 && loads[i].measured > 0 && isfinite(loads[i].work) &&
		      isfinite(loads[i].measured)))
			return "contention needs positive loads and measurements";
		sums->largest = fmax(sums->largest, loads[i].work);
		smallest = fmin(smallest, loads[i].work);
	}
	return nr && smallest < sums->largest ? NULL : "a fit needs two different loads";
}

struct contention fit_contention(const struct load *loads, size_t nr, double confidence)
{
	struct contention contention = { .valid = true };
	struct sums sums;
	const char *why = sums_init(&sums, loads, nr);
	double depth, least, log_rs, linear;

	if (!why && !(confidence > 0 && confidence < 1))
		why = "the confidence is not between 0 and 1";
	if (why)
		return none(why);
	linear = squares(&sums, 0, &log_rs);
	depth = deepest(&sums);
	least = squares(&sums, depth, &log_rs);
	if (linear <= least || linear <= (double)nr * ROUNDING * ROUNDING)
		return none("the measurement grows no faster than the load");
	contention.s = s_at(&sums, depth);
	contention.r = exp(log_rs) / contention.s;
	contention.residual = nr > 2 ? sqrt(least / (double)(nr - 2)) : NAN;
	contention.saturation = saturation_interval(&sums, depth, least, confidence);
	return contention;
}

struct contention fit_contention_held(double hold, double share, double load)
{
	if (!(hold > 0 && isfinite(hold) && load > 0 && isfinite(load)))
		return none("contention needs a positive hold time and load");
	if (!(share > 0 && share <= 1))
		return none("the share of the run is not between 0 and 1");
	return (struct contention){ .valid = true,
				    .r = hold,
				    .s = share / load,
				    .residual = NAN,
				    .saturation = { load / share, load / share } };
}

struct contention fit_contention_hidden(double error, double load, double budget, double most)
{
	double excess = budget * load - error * most;
	struct contention contention = { .valid = true, .residual = NAN };

	if (!(error > 0 && budget > 0 && load > 0 && isfinite(budget) && isfinite(most)))
		return none(
			"contention needs positive loads, a positive error and a positive budget");
	if (!(most > load))
		return none("the projection needs a larger load");
	if (!(excess > 0))
		return none("growth in proportion to the load takes up the budget already");
	contention.r = budget * error * (most - load) / excess;
	contention.s = excess / (budget * load * most - error * load * most);
	contention.saturation = (struct interval){ 1 / contention.s, 1 / contention.s };
	return contention;
}

double fit_contention_at(const struct contention *contention, double load)
{
	double utilisation = contention->s * load;

	return utilisation < 1 ? contention->r * utilisation / (1 - utilisation) : INFINITY;
}
