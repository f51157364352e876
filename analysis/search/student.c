/* SPDX-License-Identifier: Apache-2.0 */
/* Confidence intervals of means of a few values. */
#include "analysis/search/student.h"

#include <math.h>

double student_half_width(const double *values, size_t nr)
{
	/* 97.5 % quantiles of Student's t with 1, 2, 3 degrees of freedom, from any table */
	static const double quantiles[] = { 12.706, 4.303, 3.182 };
	double mean = 0, squares = 0;
	size_t freedom = nr - 1;

	if (nr < 2)
		return 0;
	for (size_t i = 0; i < nr; i++)
		mean += values[i] / (double)nr;
	for (size_t i = 0; i < nr; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	if (freedom > sizeof(quantiles) / sizeof(quantiles[0]))
		freedom = sizeof(quantiles) / sizeof(quantiles[0]);      /* wider than need be */
	return quantiles[freedom - 1] * sqrt(squares / (double)(nr - 1) / (double)nr);
}
