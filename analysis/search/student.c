/* SPDX-License-Identifier: Apache-2.0 */
/* Confidence intervals of means of a few values. */
#include "analysis/search/student.h"

#include <math.h>

/* 97.5 % quantiles of Student's t with 1, 2, 3 degrees of freedom, from any table */
static const double quantiles[] = { 12.706, 4.303, 3.182 };
#define ROUNDING 1e-12                   /* of a value: what differs by less does so as sums were rounded */
#define MOST_FREEDOM (sizeof(quantiles) / sizeof(quantiles[0]))

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

/* Student's distribution function in closed form (Abramowitz & Stegun 26.7.3 and 26.7.4). */
static double distribution(double t, size_t freedom)
{
	double x = t / sqrt((double)freedom);

	if (freedom == 1)
		return 0.5 + atan(x) / M_PI;
	if (freedom == 2)
		return 0.5 + x / sqrt(1 + x * x) / 2;
	return 0.5 + (x / (1 + x * x) + atan(x)) / M_PI;
}

double student_above_zero(double value, double half_width, size_t nr)
{
	if (nr < 2 || half_width <= 0)
		return 1;
	return distribution(value / half_width * quantiles[freedom_of(nr) - 1], freedom_of(nr));
}
