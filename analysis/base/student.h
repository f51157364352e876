/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_STUDENT_H
#define MEMSEARCH_BASE_STUDENT_H

#include <stddef.h>

/* Student's t: its distribution, and confidence intervals of means of a few values. */

/*
 * Probability that t is at most `t`, and the t that is not exceeded with probability `p`; `freedom`
 * is the degrees of freedom, of which more than 1000 are taken for 1000 (the 97.5 % quantile is 0.1
 * % above the normal distribution's there). NAN for freedom 0 or a NAN; -INFINITY and INFINITY for
 * p <= 0 and p >= 1.
 */
double student_distribution(double t, size_t freedom);
double student_quantile(double p, size_t freedom);

/*
 * Half width of the 95 % confidence interval of the mean of a few values, by Student's
 * t; 0 for fewer than two, for which it is unknown. For the database's batches, so
 * `nr` is at most DATABASE_BATCHES.
 */
double student_half_width(const double *values, size_t nr);

/*
 * Probability that a mean of `nr` values with that half width is above 0, if it was seen to be
 * `value` (> 0); 1 for an exact one, or where the half width is unknown.
 */
double student_above_zero(double value, double half_width, size_t nr);

#endif
