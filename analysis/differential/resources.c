/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* qsort_r */
#include "analysis/differential/resources.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/base/arena.h"

#define CONFIDENCE 0.95
/* share of the time in some column, below which a resource is not worth a line */
#define LEAST 0.01
/* of a thread's time, which measurements of waiting cannot tell from none */
#define ERROR 0.01

struct builder {
	struct arena *arena;
	const struct match *match;
	const size_t *columns;
	struct resources *out;
	size_t room;
};

static struct resource_row *row_of(struct builder *builder, enum profile_resource kind,
				   uint32_t place)
{
	struct resources *out = builder->out;
	struct resource_row row = { .kind = kind, .place = place, .hidden = NAN };

	for (size_t i = 0; i < out->nr; i++)
		if (out->rows[i].kind == kind && out->rows[i].place == place)
			return &out->rows[i];
	row.used = arena_alloc(builder->arena, out->nr_columns * sizeof(*row.used));
	row.waited = arena_alloc(builder->arena, out->nr_columns * sizeof(*row.waited));
	if (!row.used || !row.waited ||
	    !ARENA_GROW(builder->arena, out->rows, out->nr, builder->room))
		return NULL;
	out->rows[out->nr] = row;
	return &out->rows[out->nr++];
}

/* Sums at first; a run without the resource does not use it. */
static void add_run(struct builder *builder, size_t run)
{
	const struct match_run *of = &builder->match->runs[run];

	for (size_t i = 0; i < of->profile->nr_uses; i++) {
		const struct profile_use *use = &of->profile->uses[i];
		struct resource_row *row = row_of(builder, use->kind, of->places[use->place]);

		if (!row)
			return;
		row->used[builder->columns[run]] += use->used;
		row->waited[builder->columns[run]] += use->waited_ns;
		row->hold_ns = use->hold_ns;
		row->waiting = fmax(row->waiting, use->waited_ns / (of->profile->phase_ns *
								    of->profile->threads));
	}
}

static bool is_timed(const struct profile *profile)
{
	return !profile->oversubscribed && profile->phase_ns > 0;
}

static void take_means(struct builder *builder)
{
	struct resources *out = builder->out;

	for (size_t k = 0; k < out->nr_columns; k++) {
		size_t runs = 0;

		for (size_t run = 0; run < builder->match->nr_runs; run++)
			runs += builder->columns[run] == k &&
				is_timed(builder->match->runs[run].profile);
		for (size_t i = 0; i < out->nr; i++) {
			out->rows[i].used[k] = runs ? out->rows[i].used[k] / (double)runs : NAN;
			out->rows[i].waited[k] = runs ? out->rows[i].waited[k] / (double)runs : NAN;
		}
	}
}

/*
 * Of locks through the origin, too: each thread holds one for its own share of the time (McKenney's
 * procedure), so one load is enough.
 */
static void project(struct builder *builder, struct resource_row *row)
{
	const struct resources *out = builder->out;
	/* the first stays the origin */
	struct load *loads = arena_alloc(builder->arena, (out->nr_columns + 1) * sizeof(*loads));
	size_t nr = row->kind == PROFILE_LOCK, known = 0;
	struct fit fit;

	row->full = (struct projection){ .why = "no run with as many CPUs as threads" };
	for (size_t k = 0; loads && k < out->nr_columns; k++)
		if (!isnan(row->used[k])) {
			loads[nr++] = (struct load){ out->works[k], row->used[k] };
			known++;
		}
	if (!known)
		return;
	fit = fit_line(loads, nr);
	row->full = fit_saturation(&fit, 1, CONFIDENCE);
}

/* Last column that is known, by number of threads; nr_columns: none. */
static size_t last_known(const struct resources *out, const struct resource_row *row)
{
	size_t k = out->nr_columns;

	while (k-- > 0)
		if (!isnan(row->used[k]))
			return k;
	return out->nr_columns;
}

static void set_waits(struct builder *builder, struct resource_row *row)
{
	const struct resources *out = builder->out;
	struct load *loads = arena_alloc(builder->arena, (out->nr_columns + 1) * sizeof(*loads));
	size_t nr = 0, last = last_known(out, row);
	struct contention held;

	row->next_wait = NAN;
	if (row->kind != PROFILE_LOCK || !loads || last == out->nr_columns)
		return;
	for (size_t k = 0; k < out->nr_columns; k++)
		if (row->waited[k] > 0)
			loads[nr++] = (struct load){ out->works[k], row->waited[k] };
	row->waits = fit_contention(loads, nr, CONFIDENCE);
	held = fit_contention_held(row->hold_ns, row->used[last], out->works[last]);
	if (held.valid)
		row->next_wait = fit_contention_at(&held, 2 * out->works[last]);
}

/* Where no thread is seen to wait, a lock can still be full with a few threads more. */
static void set_hidden(const struct builder *builder, struct resource_row *row)
{
	const struct resources *out = builder->out;
	size_t last = last_known(out, row);
	double largest = last < out->nr_columns ? out->works[last] : NAN;
	struct contention hidden;

	if (row->kind != PROFILE_LOCK || row->waiting > ERROR || !(row->full.valid) ||
	    !(row->full.load > out->works[0]))
		return;
	hidden = fit_contention_hidden(ERROR, largest, 1,
				       row->full.load > largest ? row->full.load : 2 * largest);
	if (hidden.valid)
		row->hidden = 1 / hidden.s;
}

static double most_of(const struct resource_row *row, size_t nr)
{
	double most = 0;

	for (size_t i = 0; i < nr; i++)
		most = fmax(most, row->used[i]);
	return most;
}

static int row_order(const void *left, const void *right, void *nr_columns)
{
	const struct resource_row *a = left, *b = right;
	double full_a = a->full.valid ? a->full.load : INFINITY,
	       full_b = b->full.valid ? b->full.load : INFINITY;
	double most_a = most_of(a, *(size_t *)nr_columns),
	       most_b = most_of(b, *(size_t *)nr_columns);

	if (full_a < full_b || full_a > full_b)
		return full_a < full_b ? -1 : 1;
	return (most_a < most_b) - (most_a > most_b);
}

struct resources resources_of(struct arena *arena, const struct match *match, const size_t *columns,
			      const double *works, size_t nr_columns)
{
	struct resources out = { .nr_columns = nr_columns, .works = works };
	struct builder builder = {
		.arena = arena, .match = match, .columns = columns, .out = &out
	};
	size_t kept = 0;

	for (size_t run = 0; run < match->nr_runs; run++)
		if (is_timed(match->runs[run].profile))
			add_run(&builder, run);
	take_means(&builder);
	for (size_t i = 0; i < out.nr; i++) {
		if (!(most_of(&out.rows[i], nr_columns) >= LEAST))
			continue;
		out.rows[kept] = out.rows[i];
		project(&builder, &out.rows[kept]);
		set_waits(&builder, &out.rows[kept]);
		set_hidden(&builder, &out.rows[kept++]);
	}
	out.nr = kept;
	if (out.nr) /* NULL, of no rows, is undefined for qsort */
		qsort_r(out.rows, out.nr, sizeof(*out.rows), row_order, &out.nr_columns);
	return out;
}
