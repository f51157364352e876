/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_CURVE_H
#define MEMSEARCH_DIFFERENTIAL_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/differential/fit.h"

/*
 * The curve through measurements under many loads with its confidence band: the class that
 * fit_growth chooses, then a line over its g(load) (fit.h), which has a band; a power law over
 * logarithms; of a constant the mean.
 */
struct arena;

struct curve {
	bool valid;
	const char *why;      /* not valid: the reason, static text */
	struct growth growth; /* only its class and its exponent count here */
	struct fit fit;       /* not of a constant */
	double mean, error;   /* of a constant, and the standard error of that mean */
	size_t nr;            /* measurements of a constant */
};

/* `arena` for a while. Needs what fit_growth needs. */
struct curve curve_fit(struct arena *arena, const struct load *loads, size_t nr);
double curve_at(const struct curve *curve, double work);
struct interval curve_band(const struct curve *curve, double work, double confidence);

#endif
