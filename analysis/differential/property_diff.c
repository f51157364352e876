/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/differential/property_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"
#include "analysis/report/cause.h"

/* ratio of severities or values from which on a finding got worse */
#define CHANGED 1.1

const char *property_change_name(enum property_change change)
{
	static const char *const names[PROPERTY_CHANGES] = {
		"appeared", "worse", "same", "better", "vanished", "cannot tell"
	};

	return names[change];
}

static struct property_row *find_row(const struct property_diff *diff, const char *property,
				     uint32_t place, uint32_t array)
{
	for (size_t i = 0; i < diff->nr; i++)
		if (diff->rows[i].place == place && diff->rows[i].array == array &&
		    !strcmp(diff->rows[i].property, property))
			return &diff->rows[i];
	return NULL;
}

/* NULL: no memory. */
static struct property_row *row_of(struct arena *arena, struct property_diff *diff,
				   const struct profile_finding *finding, uint32_t place,
				   uint32_t array)
{
	struct property_row *row = find_row(diff, finding->property, place, array);

	if (row)
		return row;
	if (!ARENA_GROW(arena, diff->rows, diff->nr, diff->room))
		return NULL;
	row = &diff->rows[diff->nr];
	*row = (struct property_row){ .property = finding->property,
				      .title = finding->title,
				      .value_name = finding->value_name,
				      .value_unit = finding->value_unit,
				      .place = place,
				      .array = array,
				      .of_data = finding->of_data,
				      .cells = arena_alloc(arena, diff->nr_columns *
									  sizeof(*row->cells)) };
	if (!row->cells)
		return NULL;
	diff->nr++;
	return row;
}

static void add_proven(struct property_cell *cell, const struct profile_finding *finding)
{
	cell->runs++;
	cell->severity += finding->severity;
	cell->gain += cause_gain(finding->low, finding->high);
	cell->value += finding->value;
}

/* What is proven in some run has a row; then what is open of these. False: no memory. */
static bool add_run(struct arena *arena, struct property_diff *diff, const struct match_run *run,
		    size_t column, bool causes, bool open)
{
	const struct profile *profile = run->profile;
	const struct profile_finding *findings = causes ? profile->causes : profile->findings;
	size_t nr = causes ? profile->nr_causes : profile->nr_findings;

	diff->runs[column] += open ? 0 : 1;
	for (size_t i = 0; i < nr; i++) {
		const struct profile_finding *finding = &findings[i];
		uint32_t place = finding->place < profile->nr_places ? run->places[finding->place]
								     : PROFILE_NONE;
		uint32_t array = finding->array < profile->nr_arrays ? run->arrays[finding->array]
								     : PROFILE_NONE;
		struct property_row *row;

		if (finding->open != open)
			continue;
		row = open ? find_row(diff, finding->property, place, array)
			   : row_of(arena, diff, finding, place, array);
		if (!row && !open)
			return false;
		if (row && open)
			row->cells[column].open++;
		else if (row)
			add_proven(&row->cells[column], finding);
	}
	return true;
}

static void take_means(struct property_diff *diff)
{
	for (size_t i = 0; i < diff->nr; i++)
		for (size_t k = 0; k < diff->nr_columns; k++) {
			struct property_cell *cell = &diff->rows[i].cells[k];

			cell->severity = cell->runs ? cell->severity / (double)cell->runs : NAN;
			cell->gain = cell->runs ? cell->gain / (double)cell->runs : NAN;
			cell->value = cell->runs ? cell->value / (double)cell->runs : NAN;
		}
}

/*
 * By the property's own value, where there is one, as shares of time of other loads have other
 * wholes.
 */
static double ratio_of(const struct property_cell *base, const struct property_cell *new)
{
	if (base->value > 0 && new->value > 0)
		return new->value / base->value;
	return base->severity > 0 && new->severity > 0 ? new->severity / base->severity : 1;
}

/*
 * Recorded and simulated values, exact ones, of a data structure or all of a place: how many there
 * are, and how many of these differ, got worse, and got better.
 */
struct value_counts {
	size_t nr, different, worse, better;
};

static struct value_counts count_values(const struct comparison *comparison, uint32_t place,
					uint32_t array)
{
	struct value_counts counts = { 0 };

	for (size_t i = 0; i < comparison->nr; i++) {
		const struct difference *row = &comparison->rows[i];

		if (row->place != place || row->array != array || row->part != PROFILE_NONE ||
		    !compared_is_of_data(row->metric))
			continue;
		counts.nr += row->exact;
		counts.different += verdict_is_difference(row->verdict);
		counts.worse += row->verdict == VERDICT_WORSE;
		counts.better += row->verdict == VERDICT_BETTER;
	}
	return counts;
}

/* Natural loops have no values of their own: then of the region around them. */
static struct value_counts values_of(const struct comparison *comparison,
				     const struct property_row *row)
{
	struct value_counts counts = { 0 };

	for (uint32_t place = row->place;
	     place != MATCH_NONE && place != PROFILE_NONE && !counts.nr && !counts.different;
	     place = comparison->match->places[place].parent)
		counts = count_values(comparison, place, row->array);
	return counts;
}

/* Only the share of time crossed the threshold: the values went the other way. */
static bool is_contradicted(const struct value_counts *values, bool appears)
{
	return appears ? values->better && !values->worse : values->worse && !values->better;
}

/* Proven in most of a column's runs. */
static enum property_change change_of(const struct property_diff *diff,
				      const struct property_row *row,
				      const struct comparison *comparison)
{
	const struct property_cell *base = &row->cells[0], *new = &row->cells[diff->nr_columns - 1];
	bool before = 2 * base->runs > diff->runs[0],
	     after = 2 * new->runs > diff->runs[diff->nr_columns - 1];
	struct value_counts values = { 0 };
	double ratio = ratio_of(base, new);

	if (row->of_data && comparison)
		values = values_of(comparison, row);
	if (values.nr && !values.different)
		return PROPERTY_SAME;
	if (before != after && ((before ? new : base)->open || is_contradicted(&values, after)))
		return PROPERTY_OPEN;
	if (before != after)
		return before ? PROPERTY_VANISHED : PROPERTY_APPEARED;
	return ratio >= CHANGED       ? PROPERTY_WORSE
	       : ratio <= 1 / CHANGED ? PROPERTY_BETTER
				      : PROPERTY_SAME;
}

static double most_of(const struct property_row *row, size_t last)
{
	double base = row->cells[0].gain, new = row->cells[last].gain;

	return fmax(isnan(base) ? 0 : base, isnan(new) ? 0 : new);
}

static int row_order(const void *left, const void *right)
{
	const struct property_row *a = left, *b = right;

	if (a->change != b->change)
		return a->change < b->change ? -1 : 1;
	if (a->most < b->most || a->most > b->most)
		return a->most > b->most ? -1 : 1;
	return strcmp(a->property, b->property);
}

static bool is_inside(const struct match *match, uint32_t place, uint32_t outer)
{
	for (place = match->places[place].parent; place != MATCH_NONE;
	     place = match->places[place].parent)
		if (place == outer)
			return true;
	return false;
}

static void mark_refined(const struct match *match, struct property_diff *diff)
{
	for (size_t i = 0; i < diff->nr; i++)
		for (size_t k = 0; k < diff->nr && !diff->rows[i].refined; k++) {
			const struct property_row *row = &diff->rows[i], *inner = &diff->rows[k];

			diff->rows[i].refined = row->change == inner->change &&
						row->array == inner->array &&
						row->place != PROFILE_NONE &&
						inner->place != PROFILE_NONE &&
						!strcmp(row->property, inner->property) &&
						is_inside(match, inner->place, row->place);
		}
}

struct property_diff property_diff(struct arena *arena, const struct match *match,
				   const struct comparison *comparison, const size_t *columns,
				   size_t nr_columns, bool causes)
{
	struct property_diff diff = { .nr_columns = nr_columns,
				      .runs = arena_alloc(arena, nr_columns * sizeof(*diff.runs)) };
	bool fine = diff.runs;

	/* other numbers of places */
	if (comparison && comparison->match->nr_runs != match->nr_runs)
		comparison = NULL;
	for (int open = 0; open < 2; open++)
		for (size_t i = 0; i < match->nr_runs && fine; i++)
			fine = add_run(arena, &diff, &match->runs[i], columns[i], causes, open);
	if (!fine)
		return (struct property_diff){ 0 };
	take_means(&diff);
	for (size_t i = 0; i < diff.nr; i++) {
		diff.rows[i].change = change_of(&diff, &diff.rows[i], comparison);
		diff.rows[i].most = most_of(&diff.rows[i], nr_columns - 1);
	}
	mark_refined(match, &diff);
	if (diff.nr) /* NULL, of no rows, is undefined for qsort */
		qsort(diff.rows, diff.nr, sizeof(*diff.rows), row_order);
	return diff;
}
