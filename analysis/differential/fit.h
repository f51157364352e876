/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_FIT_H
#define MEMSEARCH_DIFFERENTIAL_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/differential/combine.h"
#include "analysis/differential/statistics.h"

/*
 * Curves through the measurements of one bucket under many loads, where combine.h has two. The same
 * load may be there several times, once a run. Not here: tests whether loads differ at all
 * (statistics.h). No state, no memory. Where `valid` is false, `why` is the reason, a static text,
 * and the numbers mean nothing.
 */

/*
 * By least squares: measured = offset + slope * work, or of both logarithms, which is the power law
 * measured = e^offset * work^slope.
 */
struct fit {
	bool valid;
	const char *why;
	bool power_law;
	double offset, slope;
	/*
	 * standard deviation of the residuals; of a power law relative; NAN: two runs only, which
	 * any curve fits
	 */
	double residual;
	/* mean of work or its logarithm, and the sum of squared deviations from it */
	double centre, spread;
	size_t nr;
};

struct fit fit_line(const struct load *loads, size_t nr);
/* Needs positive loads and measurements. */
struct fit fit_power(const struct load *loads, size_t nr);
double fit_at(const struct fit *fit, double work);
/*
 * Confidence interval of the curve there; -INFINITY (power law: 0) to INFINITY where the residual
 * is not known.
 */
struct interval fit_band(const struct fit *fit, double work, double confidence);

struct projection {
	bool valid;
	const char *why;
	/* may be below loads that were measured, if the bound was exceeded there */
	double load;
	/* high: INFINITY where the bound may never be reached, or nothing is known of the error */
	struct interval interval;
};

/*
 * The load at which the measurement reaches `bound`: equations 4 and 5 of McKenney 1999 for many
 * loads. The interval is that of inverse regression (Fieller 1954): the loads at which the band of
 * the curve has the bound in it.
 */
struct projection fit_saturation(const struct fit *fit, double bound, double confidence);

/*
 * Contention, eq. 6: f(x) = r s x / (1 - s x), in which s x is the utilisation of the critical
 * section at load x. At the load 1/s it saturates.
 */
struct contention {
	bool valid;
	const char *why;
	double r, s; /* r in the unit of the measurement, s in 1/load */
	/* standard deviation of the residuals, relative; NAN: two runs, or not fitted */
	double residual;
	struct interval saturation; /* of the load 1/s */
};

/*
 * By least squares of logarithms, as errors of times are relative. Needs positive loads and
 * measurements that grow faster than the load. 0.1 ms.
 */
struct contention fit_contention(const struct load *loads, size_t nr, double confidence);
/*
 * Without a fit: r is the time for which the lock is held at once, s its share of the run over the
 * load under which it was measured.
 */
struct contention fit_contention_held(double hold, double share, double load);
/*
 * Eq. 7: contention that equals the measurement error `error` under the load `load`, and takes up
 * `budget` under the load `most`. Where it is valid, spin time below the error says nothing of
 * larger loads: spin time must not be extrapolated, hold time may. Needs budget/error > most/load >
 * 1.
 */
struct contention fit_contention_hidden(double error, double load, double budget, double most);
/* INFINITY from the load 1/s on. */
double fit_contention_at(const struct contention *contention, double load);

/*  X(ID, name) */
/* clang-format off */
#define FIT_CLASS_LIST(X) \
	X(CONSTANT, "constant") \
	X(LOGARITHMIC, "logarithmic") \
	X(LINEAR, "linear") \
	X(LINEARITHMIC, "n log n") \
	X(QUADRATIC, "quadratic") \
	X(POWER, "power")
/* clang-format on */

enum fit_class {
#define X(id, name) FIT_##id,
	FIT_CLASS_LIST(X)
#undef X
	FIT_CLASSES
};

/*
 * How a bucket scales: measured = offset + factor * g(work), g being the class; `factor` may be
 * negative.
 */
struct growth {
	bool valid;
	const char *why;
	enum fit_class class;
	double offset, factor;
	/* FIT_POWER: g(work) = work^exponent, offset is 0; otherwise 0 */
	double exponent;
	double error; /* cross-validated, relative: 0.02 is 2 % */
};

/*
 * The class with the smallest error in predicting each load from the others (leave-one-out
 * cross-validation, Stone 1974). A constant is preferred up to an error of 1 % and within one
 * standard error of the best (Breiman et al. 1984, 3.4.3), a free exponent is chosen only where it
 * halves the error. Needs three different loads, all positive. 3 us for five runs.
 */
struct growth fit_growth(const struct load *loads, size_t nr);
double fit_growth_at(const struct growth *growth, double work);
/* The exponent is not part of the name. */
const char *fit_class_name(enum fit_class class);

#endif
