/* SPDX-License-Identifier: Apache-2.0 */
/* Interval of the ratio of two means. */
#include "analysis/differential/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "analysis/base/student.h"
#include "analysis/differential/statistics_private.h"

/*
 * 1000 times the usual confidences are whole numbers: Davison & Hinkley, "Bootstrap Methods", 1997,
 * 5.2
 */
#define RESAMPLES 999
/*
 * Of fewer values, resamples without scatter are too frequent: of 2 and 2, intervals meant for 95 %
 * have 84 %.
 */
#define RESAMPLED_LEAST 4
#define FREEDOM_MOST 100
#define SEED 0x9e3779b97f4a7c15u

struct sample {
	const double *values;
	size_t nr;
};

struct moments {
	double nr, mean, squares; /* sum of squared deviations from the mean */
};

struct log_ratio {
	double value, error; /* natural logarithm, and its standard error */
};

double statistics_random(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15u;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return (double)((mixed ^ mixed >> 31) >> 11) * 0x1p-53;
}

/* Welford 1962: equal values have squares of exactly 0. */
static void moments_add(struct moments *moments, double value)
{
	double deviation = value - moments->mean;

	moments->nr++;
	moments->mean += deviation / moments->nr;
	moments->squares += deviation * (value - moments->mean);
}

static struct moments moments_of(struct sample sample)
{
	struct moments moments = { 0 };

	for (size_t i = 0; i < sample.nr; i++)
		moments_add(&moments, sample.values[i]);
	return moments;
}

static struct moments resample(struct sample sample, uint64_t *state)
{
	struct moments moments = { 0 };

	for (size_t i = 0; i < sample.nr; i++)
		moments_add(&moments,
			    sample.values[(size_t)(statistics_random(state) * (double)sample.nr)]);
	return moments;
}

/* Squared relative error of the mean. */
static double relative_variance(const struct moments *of)
{
	return of->squares / (of->nr * (of->nr - 1) * of->mean * of->mean);
}

static struct log_ratio log_ratio(const struct moments *a, const struct moments *b)
{
	return (struct log_ratio){ log(b->mean / a->mean),
				   sqrt(relative_variance(a) + relative_variance(b)) };
}

/*
 * Degrees of freedom of Welch 1947, rounded down: more than FREEDOM_MOST make intervals 1 %
 * narrower at most, and take longer.
 */
static size_t welch_freedom(const struct moments *a, const struct moments *b)
{
	double of_a = relative_variance(a), of_b = relative_variance(b);
	double freedom = (of_a + of_b) * (of_a + of_b) /
			 (of_a * of_a / (a->nr - 1) + of_b * of_b / (b->nr - 1));

	return (size_t)fmin(FREEDOM_MOST, fmax(1, floor(freedom * (1 + 1e-12))));
}

static double welch_quantile(const struct moments *a, const struct moments *b, double confidence)
{
	return student_quantile(0.5 + confidence / 2, welch_freedom(a, b));
}

int statistics_by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/*
 * Of the absolute deviation of resamples in their standard errors. INFINITY: too many resamples
 * have no scatter, or a mean of 0.
 */
static double bootstrap_quantile(struct sample a, struct sample b, double value, double confidence)
{
	double deviations[RESAMPLES];
	size_t at = (size_t)ceil(confidence * (RESAMPLES + 1) * (1 - 1e-12));
	uint64_t state = SEED;

	for (size_t i = 0; i < RESAMPLES; i++) {
		struct moments of_a = resample(a, &state), of_b = resample(b, &state);
		struct log_ratio drawn = log_ratio(&of_a, &of_b);

		if (drawn.value == value)
			deviations[i] = 0;
		else
			deviations[i] = drawn.error > 0 ? fabs(drawn.value - value) / drawn.error
							: INFINITY;
	}
	qsort(deviations, RESAMPLES, sizeof(*deviations), statistics_by_value);
	return at <= RESAMPLES ? deviations[at - 1] : INFINITY;
}

static bool usable(struct sample sample)
{
	double sum = 0;

	for (size_t i = 0; i < sample.nr; i++) {
		if (!(sample.values[i] >= 0))
			return false;
		sum += sample.values[i];
	}
	return sample.nr >= 2 && sum > 0 && isfinite(sum);
}

bool statistics_ratio_interval(const double *a, size_t na, const double *b, size_t nb,
			       double confidence, struct interval *ratio_out)
{
	struct sample first = { a, na }, second = { b, nb };
	struct moments of_a = moments_of(first), of_b = moments_of(second);
	struct log_ratio ratio = log_ratio(&of_a, &of_b);
	double quantile = INFINITY;

	if (!usable(first) || !usable(second) || !(confidence > 0 && confidence < 1))
		return false;
	if (ratio.error > 0 && na >= RESAMPLED_LEAST && nb >= RESAMPLED_LEAST)
		quantile = bootstrap_quantile(first, second, ratio.value, confidence);
	if (ratio.error > 0 && isinf(quantile))
		quantile = welch_quantile(&of_a, &of_b, confidence);
	if (!(ratio.error > 0))
		quantile = 0;
	*ratio_out = (struct interval){ exp(ratio.value - quantile * ratio.error),
					exp(ratio.value + quantile * ratio.error) };
	return true;
}

static bool is_usable(struct run_mean mean)
{
	return mean.executions >= 2 && mean.value > 0 && isfinite(mean.value) && mean.error > 0 &&
	       isfinite(mean.error);
}

static struct moments moments_of_run(struct run_mean mean)
{
	return (struct moments){ mean.executions, mean.value,
				 mean.error * mean.error * mean.executions *
					 (mean.executions - 1) };
}

double statistics_runs_test(struct run_mean a, struct run_mean b, double ratio)
{
	struct moments of_a = moments_of_run(a), of_b = moments_of_run(b);
	struct log_ratio found;

	if (!is_usable(a) || !is_usable(b) || !(ratio > 0))
		return 1;
	found = log_ratio(&of_a, &of_b);
	return 2 * (1 - student_distribution(fabs(found.value - log(ratio)) / found.error,
					     welch_freedom(&of_a, &of_b)));
}

bool statistics_runs_ratio(struct run_mean a, struct run_mean b, double confidence,
			   struct interval *ratio_out)
{
	struct moments of_a = moments_of_run(a), of_b = moments_of_run(b);
	struct log_ratio ratio;
	double half;

	if (!is_usable(a) || !is_usable(b) || !(confidence > 0 && confidence < 1))
		return false;
	ratio = log_ratio(&of_a, &of_b);
	half = welch_quantile(&of_a, &of_b, confidence) * ratio.error;
	*ratio_out = (struct interval){ exp(ratio.value - half), exp(ratio.value + half) };
	return true;
}
