/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* qsort_r */
#include "analysis/differential/growth.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/differential/buckets.h"
#include "analysis/differential/profile_rows.h"

#define COLUMNS_LEAST 3
#define CONFIDENCE 0.95
#define SAME 0.01 /* relative */

struct grower {
	struct arena *arena;
	const struct match *match;
	const size_t *columns;
	struct growths *out;
	struct load *loads; /* [match->nr_runs], for a while */
	const struct growths_how *how;
};

static double means(const struct grower *grower, const double *values, double *out)
{
	const struct growths *growths = grower->out;
	double most = 0;

	for (size_t i = 0; i < growths->nr_columns; i++) {
		double sum = 0;
		size_t nr = 0;

		for (size_t run = 0; run < grower->match->nr_runs; run++)
			if (grower->columns[run] == i && !isnan(values[run])) {
				sum += values[run];
				nr++;
			}
		out[i] = nr ? sum / (double)nr : NAN;
		most = fmax(most, out[i]);
	}
	return most;
}

static size_t loads_of(const struct grower *grower, const double *values)
{
	size_t nr = 0;

	for (size_t run = 0; run < grower->match->nr_runs; run++)
		if (!isnan(values[run]) &&
		    !(grower->how->without_one && grower->out->works[grower->columns[run]] <= 1))
			grower->loads[nr++] = (struct load){
				grower->out->works[grower->columns[run]], values[run]
			};
	return nr;
}

static bool add_row(struct grower *grower, const struct bucket_key *key, const double *values)
{
	struct growths *growths = grower->out;
	struct growth_row row = { .place = key->place, .array = key->array, .next = NAN };
	double most;
	struct fit fit;
	size_t nr;

	row.means = arena_alloc(grower->arena, growths->nr_columns * sizeof(*row.means));
	if (!row.means)
		return false;
	most = means(grower, values, row.means);
	if (!(most >= grower->how->least) || !(most > 0))
		return true;
	nr = loads_of(grower, values);
	row.growth = fit_growth(grower->loads, nr);
	fit = grower->how->power_law ? fit_power(grower->loads, nr) : fit_line(grower->loads, nr);
	if (!isnan(grower->how->bound))
		row.saturation = fit_saturation(&fit, grower->how->bound, CONFIDENCE);
	if (row.growth.valid)
		row.next = fit_growth_at(&row.growth, 2 * growths->works[growths->nr_columns - 1]);
	growths->rows[growths->nr++] = row;
	return true;
}

/* How fast a class grows, or falls. */
static double speed(const struct growth_row *row)
{
	static const double exponents[FIT_CLASSES] = { [FIT_LOGARITHMIC] = 0.1,
						       [FIT_LINEAR] = 1,
						       [FIT_LINEARITHMIC] = 1.1,
						       [FIT_QUADRATIC] = 2 };

	if (!row->growth.valid)
		return -INFINITY;
	if (row->growth.class == FIT_POWER)
		return row->growth.exponent;
	return row->growth.factor < 0 ? -exponents[row->growth.class]
				      : exponents[row->growth.class];
}

static double last_of(const struct growth_row *row, size_t nr)
{
	while (nr && isnan(row->means[nr - 1]))
		nr--;
	return nr ? row->means[nr - 1] : 0;
}

static int row_order(const void *left, const void *right, void *growths)
{
	const struct growth_row *a = left, *b = right;
	size_t nr = ((struct growths *)growths)->nr_columns;
	double speed_a = speed(a), speed_b = speed(b), last_a = last_of(a, nr),
	       last_b = last_of(b, nr);

	if (a->growth.class != b->growth.class || a->growth.class == FIT_POWER ||
	    (a->growth.factor < 0) != (b->growth.factor < 0) || a->growth.valid != b->growth.valid)
		if (speed_a < speed_b || speed_a > speed_b)
			return speed_a > speed_b ? -1 : 1;
	if (last_a < last_b || last_a > last_b)
		return last_a > last_b ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static bool has_same(const struct growths *growths, const struct growth_row *a,
		     const struct growth_row *b)
{
	for (size_t i = 0; i < growths->nr_columns; i++)
		if (!(fabs(a->means[i] - b->means[i]) <= SAME * fabs(a->means[i])) &&
		    !(isnan(a->means[i]) && isnan(b->means[i])))
			return false;
	return true;
}

/* A parallel region that is its loop. */
static void mark_explained(const struct match *match, struct growths *growths)
{
	for (size_t i = 0; i < growths->nr; i++)
		for (size_t k = 0; k < growths->nr && !growths->rows[i].explained; k++) {
			const struct growth_row *outer = &growths->rows[i],
						*inner = &growths->rows[k];

			growths->rows[i].explained = match->places[inner->place].parent ==
							     outer->place &&
						     inner->array == outer->array &&
						     has_same(growths, outer, inner);
		}
}

bool growths_of(struct arena *arena, const struct match *match, const size_t *columns,
		const double *works, size_t nr_columns, const struct growths_how *how,
		struct growths *out)
{
	struct grower grower = {
		.arena = arena, .match = match, .columns = columns, .out = out, .how = how
	};
	struct buckets buckets;

	*out = (struct growths){ .metric = how->metric,
				 .nr_columns = nr_columns,
				 .works = arena_alloc(arena,
						      (nr_columns + 1) * sizeof(*out->works)) };
	if (nr_columns < COLUMNS_LEAST)
		return out->works;
	grower.loads = arena_alloc(arena, (match->nr_runs + 1) * sizeof(*grower.loads));
	if (!out->works || !grower.loads || !buckets_fill(arena, match, &buckets))
		return false;
	out->rows = arena_alloc(arena, (buckets.nr + 1) * sizeof(*out->rows));
	if (!out->rows)
		return false;
	for (size_t i = 0; i < nr_columns; i++)
		out->works[i] = works[i];
	for (size_t i = 0; i < buckets.nr; i++) {
		const struct bucket_key *key = &buckets.keys[i];
		const struct matched_place *place = &match->places[key->place];
		bool of_phase = (place->of[MATCH_BASE] ? place->of[MATCH_BASE]
						       : place->of[MATCH_NEW])
					->kind == MS_USER_REGION;

		if (key->metric != how->metric || key->part != PROFILE_NONE || of_phase ||
		    (key->array != PROFILE_NONE) != how->of_arrays)
			continue;
		if (!add_row(&grower, key, &buckets.values[i * buckets.nr_runs]))
			return false;
	}
	if (out->nr) /* NULL, of no rows, is undefined for qsort */
		qsort_r(out->rows, out->nr, sizeof(*out->rows), row_order, out);
	if (!how->of_arrays)
		mark_explained(match, out);
	return true;
}
