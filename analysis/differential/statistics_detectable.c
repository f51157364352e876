/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest change that the rank test finds. */
#include "analysis/differential/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/base/student.h"
#include "analysis/differential/statistics_private.h"

#define TRIALS 4000                      /* standard error of the power: sqrt(0.8 * 0.2 / 4000), 0.6 % */
#define SEED 0x9e3779b97f4a7c15u

/* Box & Muller 1958 */
static double random_normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(1 - statistics_random(state)));

	return radius * cos(2 * M_PI * statistics_random(state));
}

/* The most pairs in the wrong order, without ties, with which an exact test still rejects. statistics_least_p is at most `level`. */
static size_t critical_pairs(size_t na, size_t nb, double level)
{
	uint32_t cells[EXACT_CELLS], ranks[EXACT_VALUES];
	size_t k = na < nb ? na : nb, least = k * (k - 1) / 2, half = na * nb / 2, pairs = 0;
	double groupings = statistics_choose(na + nb, k), tail;
	const uint32_t *row;

	for (size_t i = 0; i < na + nb; i++)
		ranks[i] = (uint32_t)i;
	row = statistics_groupings(ranks, na + nb, k, least + half, cells);
	for (tail = row[least]; pairs < half && 2 * (tail + row[least + pairs + 1]) / groupings <= level; pairs++)
		tail += row[least + pairs + 1];
	return pairs;
}

/* The shift of the second group from which on no more than `pairs` pairs are in the wrong order. */
static double least_shift(size_t na, size_t nb, size_t pairs, double *differences, uint64_t *state)
{
	double first[EXACT_VALUES];

	for (size_t i = 0; i < na; i++)
		first[i] = random_normal(state);
	for (size_t j = 0; j < nb; j++) {
		double second = random_normal(state);

		for (size_t i = 0; i < na; i++)
			differences[j * na + i] = first[i] - second;
	}
	qsort(differences, na * nb, sizeof(*differences), statistics_by_value);
	return differences[na * nb - 1 - pairs];
}

/* The quantile `power` of the shifts that random groups need. INFINITY: no memory. */
static double exact_shift(size_t na, size_t nb, double level, double power)
{
	struct arena *arena = arena_new();
	double *shifts = arena ? arena_alloc(arena, (TRIALS + na * nb) * sizeof(*shifts)) : NULL, shift = INFINITY;
	size_t pairs = critical_pairs(na, nb, level);
	uint64_t state = SEED;

	if (shifts) {
		for (size_t i = 0; i < TRIALS; i++)
			shifts[i] = least_shift(na, nb, pairs, shifts + TRIALS, &state);
		qsort(shifts, TRIALS, sizeof(*shifts), statistics_by_value);
		shift = fmax(0, shifts[(size_t)(power * TRIALS)]);
	}
	arena_free(arena);
	return shift;
}

/* The shift that Student's t test needs, by the efficiency of the rank test for normal values, 3/pi (Hodges & Lehmann 1956). */
static double large_shift(size_t na, size_t nb, double level, double power)
{
	size_t freedom = na + nb - 2;
	double quantiles = student_quantile(1 - level / 2, freedom) + student_quantile(power, freedom);

	return fmax(0, quantiles) * sqrt(M_PI / 3 * (1 / (double)na + 1 / (double)nb));
}

double statistics_detectable_shift(size_t na, size_t nb, double level, double power)
{
	if (!(level > 0 && level < 1 && power > 0 && power < 1) || statistics_least_p(na, nb) > level)
		return INFINITY;
	return statistics_exact(na, nb) ? exact_shift(na, nb, level, power) : large_shift(na, nb, level, power);
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

double statistics_detectable(const double *a, size_t na, const double *b, size_t nb, double level, double power)
{
	double shift = statistics_detectable_shift(na, nb, level, power), scatter = statistics_scatter(a, na, b, nb);

	if (isinf(shift) || !isfinite(scatter))
		return INFINITY;
	return shift * scatter;
}
