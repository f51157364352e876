/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_STUDENT_H
#define MEMSEARCH_SEARCH_STUDENT_H

#include <stddef.h>

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
