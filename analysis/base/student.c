/* SPDX-License-Identifier: Apache-2.0 */
/* Student's t, and confidence intervals of means of a few values. */
#include "analysis/base/student.h"

#include <math.h>

/*
 * 97.5 % quantiles of Student's t with 1, 2, 3 degrees of freedom: a table, as phase boundaries
 * have no time for student_quantile
 */
static const double quantiles[] = { 12.706, 4.303, 3.182 };
/* of a value: smaller differences come from rounding of sums */
#define ROUNDING 1e-12
#define MOST_FREEDOM (sizeof(quantiles) / sizeof(quantiles[0]))
/* degrees of freedom, of which the distribution's sum has half as many terms */
#define MOST_TERMS 1000
/* with 1 degree of freedom 1 - p is 3e-19 there, less than a double's precision */
#define FARTHEST 1e18
#define BISECTIONS 100

/* More than three are taken for three, which makes intervals wider than need be. */
static size_t freedom_of(size_t nr)
{
	return nr - 1 < MOST_FREEDOM ? nr - 1 : MOST_FREEDOM;
}

double student_half_width(const double *values, size_t nr)
{
	double mean = 0, squares = 0;

	if (nr < 2)
		return 0;
	for (size_t i = 0; i < nr; i++)
		mean += values[i] / (double)nr;
	for (size_t i = 0; i < nr; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	if (sqrt(squares) <= ROUNDING * fabs(mean))
		return 0;
	return quantiles[freedom_of(nr) - 1] * sqrt(squares / (double)(nr - 1) / (double)nr);
}

/*
 * The sum in Abramowitz & Stegun 26.7.3 and 26.7.4: products of (k-1)/k in steps of 2 up to freedom
 * - 2, times cosine squared.
 */
static double cosine_series(double squared, size_t freedom)
{
	double term = 1, sum = 1;

	for (size_t k = freedom % 2 ? 3 : 2; k + 2 <= freedom; k += 2) {
		term *= squared * (double)(k - 1) / (double)k;
		sum += term;
	}
	return sum;
}

/* Probability of the interval from -t to t; `tangent` is t / sqrt(freedom). */
static double between(double tangent, size_t freedom)
{
	double cosine = 1 / hypot(1, tangent), sine = tangent * cosine;
	double series = cosine_series(cosine * cosine, freedom);

	if (freedom % 2 == 0)
		return sine * series;
	return (atan(tangent) + (freedom > 1 ? sine * cosine * series : 0)) * 2 / M_PI;
}

double student_distribution(double t, size_t freedom)
{
	if (isnan(t) || !freedom)
		return NAN;
	if (isinf(t))
		return t > 0;
	if (freedom > MOST_TERMS)
		freedom = MOST_TERMS;
	return 0.5 + between(t / sqrt((double)freedom), freedom) / 2;
}

/* By bisection: the distribution is monotone, and callers are not time-critical. */
double student_quantile(double p, size_t freedom)
{
	double low = 0, high = 1;

	if (isnan(p) || !freedom)
		return NAN;
	if (p <= 0 || p >= 1)
		return p <= 0 ? -INFINITY : INFINITY;
	if (p < 0.5)
		return -student_quantile(1 - p, freedom);
	while (student_distribution(high, freedom) < p && high < FARTHEST)
		high *= 2;
	for (int i = 0; i < BISECTIONS; i++) {
		double middle = low + (high - low) / 2;

		*(student_distribution(middle, freedom) < p ? &low : &high) = middle;
	}
	return high;
}

double student_above_zero(double value, double half_width, size_t nr)
{
	if (nr < 2 || half_width <= 0)
		return 1;
	return student_distribution(value / half_width * quantiles[freedom_of(nr) - 1],
				    freedom_of(nr));
}
