/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest change that the rank test finds. */
#include "analysis/differential/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/base/student.h"
#include "analysis/differential/statistics_private.h"

/* standard error of the power: sqrt(0.8 * 0.2 / 4000), 0.6 % */
#define TRIALS 4000
/* of both groups together; beyond, the tails of the test are nearly normal */
#define SIMULATED_VALUES 400
#define BISECTIONS 40
#define SEED 0x9e3779b97f4a7c15u

/* Box & Muller 1958 */
static double random_normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(1 - statistics_random(state)));

	return radius * cos(2 * M_PI * statistics_random(state));
}

/*
 * The most pairs in the wrong order, without ties, with which an exact test still rejects.
 * statistics_least_p is at most `level`.
 */
static size_t critical_pairs_exact(size_t na, size_t nb, double level)
{
	uint32_t cells[EXACT_CELLS], ranks[EXACT_VALUES];
	size_t k = na < nb ? na : nb, least = k * (k - 1) / 2, half = na * nb / 2, pairs = 0;
	double groupings = statistics_choose(na + nb, k), tail;
	const uint32_t *row;

	for (size_t i = 0; i < na + nb; i++)
		ranks[i] = (uint32_t)i;
	row = statistics_groupings(ranks, na + nb, k, least + half, cells);
	for (tail = row[least];
	     pairs < half && 2 * (tail + row[least + pairs + 1]) / groupings <= level; pairs++)
		tail += row[least + pairs + 1];
	return pairs;
}

/* The same of the normal approximation. */
static size_t critical_pairs_normal(size_t na, size_t nb, double level)
{
	double half = (double)na * (double)nb / 2,
	       variance = statistics_rank_variance((double)na, (double)nb, 0);
	size_t rejected = 0, accepted = na * nb / 2 + 1;

	while (rejected + 1 < accepted) {
		size_t pairs = (rejected + accepted) / 2;

		if (statistics_normal_p(half - (double)pairs, variance) <= level)
			rejected = pairs;
		else
			accepted = pairs;
	}
	return rejected;
}

/* Random values of two groups, each in ascending order. */
struct sample {
	double *a, *b;
	size_t na, nb;
};

static void draw(double *values, size_t nr, uint64_t *state)
{
	for (size_t i = 0; i < nr; i++)
		values[i] = random_normal(state);
	qsort(values, nr, sizeof(*values), statistics_by_value);
}

/*
 * Pairs of which the first group's value is the larger one, although the second group is shifted
 * up.
 */
static size_t wrong_pairs(const struct sample *sample, double shift)
{
	size_t wrong = 0, smaller = 0;

	for (size_t i = 0; i < sample->na; i++) {
		while (smaller < sample->nb && sample->b[smaller] + shift < sample->a[i])
			smaller++;
		wrong += smaller;
	}
	return wrong;
}

/* The shift of the second group from which on no more than `pairs` pairs are in the wrong order. */
static double least_shift(const struct sample *sample, size_t pairs)
{
	double few = sample->a[sample->na - 1] - sample->b[0] + 1,
	       many = sample->a[0] - sample->b[sample->nb - 1] - 1;

	for (int i = 0; i < BISECTIONS; i++) {
		double shift = (few + many) / 2;

		if (wrong_pairs(sample, shift) <= pairs)
			few = shift;
		else
			many = shift;
	}
	return few;
}

/* The quantile `power` of the shifts that random groups need. INFINITY: no memory. */
static double simulated_shift(size_t na, size_t nb, double level, double power)
{
	struct arena *arena = arena_new();
	double *shifts = arena ? arena_alloc(arena, (TRIALS + na + nb) * sizeof(*shifts)) : NULL,
	       shift = INFINITY;
	struct sample sample = { shifts + TRIALS, shifts + TRIALS + na, na, nb };
	size_t pairs = statistics_exact(na, nb) ? critical_pairs_exact(na, nb, level)
						: critical_pairs_normal(na, nb, level);
	uint64_t state = SEED;

	for (size_t i = 0; shifts && i < TRIALS; i++) {
		draw(sample.a, na, &state);
		draw(sample.b, nb, &state);
		shifts[i] = least_shift(&sample, pairs);
	}
	if (shifts) {
		qsort(shifts, TRIALS, sizeof(*shifts), statistics_by_value);
		shift = fmax(0, shifts[(size_t)(power * TRIALS)]);
	}
	arena_free(arena);
	return shift;
}

/*
 * The shift that Student's t test needs, by the efficiency of the rank test for normal values, 3/pi
 * (Hodges & Lehmann 1956).
 */
static double large_shift(size_t na, size_t nb, double level, double power)
{
	size_t freedom = na + nb - 2;
	double quantiles = student_quantile(1 - level / 2, freedom) +
			   student_quantile(power, freedom);

	return fmax(0, quantiles) * sqrt(M_PI / 3 * (1 / (double)na + 1 / (double)nb));
}

double statistics_detectable_shift(size_t na, size_t nb, double level, double power)
{
	if (!(level > 0 && level < 1 && power > 0 && power < 1) ||
	    statistics_least_p(na, nb) > level)
		return INFINITY;
	return (na + nb <= SIMULATED_VALUES ? simulated_shift : large_shift)(na, nb, level, power);
}

static double squares_about_mean(const double *values, size_t nr, double *mean_out)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < nr; i++)
		sum += values[i];
	*mean_out = sum / (double)nr;
	for (size_t i = 0; i < nr; i++)
		squares += (values[i] - *mean_out) * (values[i] - *mean_out);
	return squares;
}

double statistics_scatter(const double *a, size_t na, const double *b, size_t nb)
{
	double mean, other, squares;

	if (!na || !nb || na + nb < 3)
		return NAN;
	squares = squares_about_mean(a, na, &mean) + squares_about_mean(b, nb, &other);
	return mean > 0 ? sqrt(squares / (double)(na + nb - 2)) / mean : NAN;
}

double statistics_detectable(const double *a, size_t na, const double *b, size_t nb, double level,
			     double power)
{
	double shift = statistics_detectable_shift(na, nb, level, power),
	       scatter = statistics_scatter(a, na, b, nb);

	if (isinf(shift) || !isfinite(scatter))
		return INFINITY;
	return shift * scatter;
}
