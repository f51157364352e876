/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison for people: totals, what got worse and better, findings, limits, warnings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/print.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define WIDTH 100
#define ALSO_MOST 3 /* further metrics of a bucket in its line */
/* relative change of a total below which it is nearly the same */
#define TOTAL_CHANGED 0.005
#define REASONS_MOST 8
#define EXACT 0.0005       /* relative error of a fit */
#define FINDING_LEAST 0.01 /* severity of findings, at most, that are listed */

/* A bucket with its metrics, that with the most relevant difference first. */
struct group {
	const struct difference *lead;
	const struct difference *also[ALSO_MOST];
	size_t nr_also, nr;
	bool explained;
};

struct groups {
	struct group *items;
	size_t nr, room;
};

static bool same_bucket(const struct difference *a, const struct difference *b)
{
	return a->place == b->place && a->array == b->array && a->part == b->part;
}

static bool is_worse(enum verdict verdict)
{
	return verdict == VERDICT_WORSE || verdict == VERDICT_NEW;
}

static bool is_better(enum verdict verdict)
{
	return verdict == VERDICT_BETTER || verdict == VERDICT_GONE;
}

/* For a metric that is neither better nor worse, new counts as more, and gone as less. */
static enum verdict listed_verdict(const struct difference *row)
{
	if (compared_metric(row->metric)->direction != METRIC_NEUTRAL)
		return row->verdict;
	return row->verdict == VERDICT_NEW    ? VERDICT_MORE
	       : row->verdict == VERDICT_GONE ? VERDICT_LESS
					      : row->verdict;
}

/*
 * Buckets in the order of their best row; bounded by the rows that are printed, so a search through
 * them is short.
 */
static struct groups groups_of(struct arena *arena, const struct diff_page *page,
			       bool (*wanted)(enum verdict), size_t most)
{
	struct groups groups = { 0 };

	for (size_t i = 0; i < page->comparison->nr; i++) {
		const struct difference *row = &page->comparison->rows[i];
		struct group *group = NULL;

		if (!wanted(listed_verdict(row)) || ((row->small || row->slight) && !page->all) ||
		    !diff_is_listed(page, row))
			continue;
		for (size_t k = 0; k < groups.nr && !group; k++)
			if (same_bucket(groups.items[k].lead, row))
				group = &groups.items[k];
		if (group && group->nr_also < ALSO_MOST)
			group->also[group->nr_also++] = row;
		if (!group && groups.nr < most &&
		    ARENA_GROW(arena, groups.items, groups.nr, groups.room)) {
			group = &groups.items[groups.nr++];
			*group = (struct group){ .lead = row };
		}
		if (group)
			group->nr++;
	}
	return groups;
}

/* A region whose difference is that of one inside of it. */
static void mark_explained(const struct match *match, struct groups *groups)
{
	for (size_t i = 0; i < groups->nr; i++)
		for (size_t k = 0; k < groups->nr && !groups->items[i].explained; k++)
			groups->items[i].explained = diff_explains(match, groups->items[k].lead,
								   groups->items[i].lead);
}

/* ------------------------------------------------------------------ lists */

static void add_number(struct text *text, double value, const char *unit, bool brief)
{
	if (brief && !strcmp(unit, "ns"))
		text_add(text, "-");
	else
		units_value(text, value, unit);
}

static void add_values(struct text *text, const struct diff_page *page,
		       const struct difference *row)
{
	const struct compared_metric *metric = compared_metric(row->metric);

	text_printf(text, "%s ", metric->heading);
	add_number(text, row->nr[MATCH_BASE] ? row->mean[MATCH_BASE] : 0, metric->unit,
		   page->brief);
	text_add(text, " -> ");
	add_number(text, row->nr[MATCH_NEW] ? row->mean[MATCH_NEW] : 0, metric->unit, page->brief);
}

/* "1.24", with its interval where that has a width: "1.24 [1.20 1.29]". */
static void add_ratio(struct text *text, const struct difference *row)
{
	struct interval interval = difference_known_interval(row);

	if (isnan(difference_ratio(row)))
		return;
	text_printf(text, ", ratio %.3g", difference_ratio(row));
	if (!row->exact && !isnan(interval.low))
		text_printf(text, " [%.3g %.3g]", interval.low, interval.high);
}

/* Of projected saturations, which the list is sorted by. */
static void add_saturation(struct text *text, const struct diff_page *page,
			   const struct difference *row)
{
	struct combined combined = difference_combined(page->comparison, row);

	/* whose bound it is */
	if (!combine_ascending(page->comparison->options.function) || !is_worse(row->verdict) ||
	    row->metric != page->metric)
		return;
	if (combined.valid)
		text_printf(text, ", reaches the bound at a load of %.4g", combined.value);
	else
		text_printf(text, ", no projection: %s", combined.why);
}

static void add_share(struct text *text, const struct difference *row)
{
	if (!isnan(row->share))
		text_printf(text, ", %+.*f %% of the base's total",
			    fabs(row->share) < 0.0995 ? 1 : 0, 100 * row->share);
}

/* How the matched place was called before, where that differs. */
static const char *was(struct arena *arena, const struct comparison *comparison,
		       const struct difference *row)
{
	const struct matched_place *place = &comparison->match->places[row->place];
	const struct profile_place *base = place->of[MATCH_BASE], *new = place->of[MATCH_NEW];

	if (!base || !new || !strcmp(base->words, new->words))
		return NULL;
	return arena_printf(arena, "was the %s", base->words);
}

static void add_group(struct text *out, const struct diff_page *page, const struct group *group,
		      size_t number)
{
	const char *before = was(out->arena, page->comparison, group->lead);
	const struct difference *row = group->lead;
	struct text line;

	text_init(&line, out->arena);
	text_printf(out, "%3zu  ", number);
	text_printf(&line, "%s%s", diff_where(out, page, row),
		    row->verdict == VERDICT_NEW    ? ": new"
		    : row->verdict == VERDICT_GONE ? ": gone"
						   : "");
	text_wrap(out, line.bytes, 5, WIDTH);
	text_add(out, "\n");
	text_init(&line, out->arena);
	add_values(&line, page, row);
	add_ratio(&line, row);
	add_share(&line, row);
	add_saturation(&line, page, row);
	text_printf(&line, " [%s]", ms_rung_name(compared_metric(row->metric)->rung));
	for (size_t i = 0; i < group->nr_also; i++) {
		text_add_plain(&line, i ? "; " : "; also ");
		add_values(&line, page, group->also[i]);
	}
	if (group->nr > group->nr_also + 1)
		text_printf(&line, "; %zu more", group->nr - group->nr_also - 1);
	if (before)
		text_printf(&line, "; %s", before);
	text_add(out, "       ");
	text_wrap(out, line.bytes, 7, WIDTH);
	text_add(out, "\n");
}

static void add_list(struct text *out, const struct diff_page *page, const char *title,
		     bool (*wanted)(enum verdict))
{
	size_t most = page->most ? page->most : SIZE_MAX, number = 0;
	struct groups groups = groups_of(out->arena, page, wanted,
					 most == SIZE_MAX ? most : 2 * most);

	mark_explained(page->comparison->match, &groups);
	for (size_t i = 0; i < groups.nr && number < most; i++) {
		if (groups.items[i].explained && !page->all)
			continue;
		if (!number)
			text_printf(out, "\n%s\n", title);
		add_group(out, page, &groups.items[i], ++number);
	}
}

/* ------------------------------------------------------------------ two runs alone */

static int larger_share(const void *left, const void *right)
{
	const struct difference *a = *(const struct difference *const *)left,
				*b = *(const struct difference *const *)right;
	double share_a = fabs(a->share), share_b = fabs(b->share);

	return share_a > share_b      ? -1
	       : share_a < share_b    ? 1
	       : a->place != b->place ? (a->place > b->place) - (a->place < b->place)
				      : (a->metric > b->metric) - (a->metric < b->metric);
}

static void add_of_two(struct text *out, const struct diff_page *page, const struct difference *row,
		       size_t number)
{
	struct text line;

	text_printf(out, "%3zu  ", number);
	text_wrap(out, diff_where(out, page, row), 5, WIDTH);
	text_add(out, "\n       ");
	text_init(&line, out->arena);
	add_values(&line, page, row);
	text_printf(&line, ", ratio %.3g [%.3g %.3g]", difference_ratio(row), row->of_steps->low,
		    row->of_steps->high);
	add_share(&line, row);
	text_wrap(out, line.bytes, 7, WIDTH);
	text_add(out, "\n");
}

/* What the steps of one run on each side show is no difference of the sides. */
static void add_two_runs(struct text *out, const struct diff_page *page)
{
	const struct comparison *comparison = page->comparison;
	const struct difference **rows = arena_alloc(out->arena,
						     (comparison->nr + 1) * sizeof(*rows));
	size_t most = page->most ? page->most : SIZE_MAX, nr = 0;

	for (size_t i = 0; rows && i < comparison->nr; i++)
		if (comparison->rows[i].of_steps && (!comparison->rows[i].slight || page->all) &&
		    diff_is_listed(page, &comparison->rows[i]))
			rows[nr++] = &comparison->rows[i];
	if (!nr || page->brief)
		return;
	qsort(rows, nr, sizeof(*rows), larger_share);
	text_add(
		out,
		"\nDifferent in these two runs alone, by the scatter of their steps (other runs may differ as much)\n");
	for (size_t i = 0; i < nr && i < most; i++)
		add_of_two(out, page, rows[i], i + 1);
}

/* ------------------------------------------------------------------ totals */

static bool is_printed(const struct diff_page *page, const struct difference *row)
{
	if (page->all)
		return row->nr[MATCH_BASE] || row->nr[MATCH_NEW];
	return compared_metric(row->metric)->direction == METRIC_COST &&
	       (row->mean[MATCH_BASE] > 0 || row->mean[MATCH_NEW] > 0);
}

static const char *total_verdict(const struct difference *row)
{
	if (verdict_is_difference(row->verdict) && fabs(difference_ratio(row) - 1) < TOTAL_CHANGED)
		return "nearly the same";
	return verdict_name(row->verdict);
}

static void add_total(struct table *table, const struct diff_page *page,
		      const struct difference *row)
{
	const struct compared_metric *metric = compared_metric(row->metric);

	table_string(table, arena_printf(table->arena, "%s [%s]", metric->heading,
					 ms_rung_name(metric->rung)));
	for (enum match_side side = 0; side < MATCH_SIDES; side++) {
		struct text value;

		text_init(&value, table->arena);
		if (row->nr[side])
			add_number(&value, row->mean[side], metric->unit, page->brief);
		table_string(table, row->nr[side] ? value.bytes : "not measured");
	}
	table_number(table,
		     page->brief && !strcmp(metric->unit, "ns") ? NAN : difference_ratio(row));
	table_string(table, total_verdict(row));
}

static void add_totals(struct text *out, const struct diff_page *page)
{
	static const struct table_column columns[] = { { "metric", NULL },
						       { "base", NULL },
						       { "new", NULL },
						       { "ratio", "ratio" },
						       { "verdict", NULL } };
	const char *headings[] = { "all regions", page->names[MATCH_BASE], page->names[MATCH_NEW],
				   "ratio", "verdict" };
	struct table table;

	table_init(&table, out->arena, "totals", columns, sizeof(columns) / sizeof(columns[0]));
	table.headings = headings;
	for (size_t i = 0; i < page->comparison->nr_totals; i++)
		if (is_printed(page, &page->comparison->totals[i]) &&
		    page->comparison->totals[i].verdict != VERDICT_UNKNOWN)
			add_total(&table, page, &page->comparison->totals[i]);
	if (!table.nr)
		return;
	text_add(out, "\n");
	table_print(out, &table, "text");
}

/*
 * What people look for first, also where it is not known how much of it is chance: the table has what is
 * known.
 */
static void add_wall_time(struct text *out, const struct diff_page *page)
{
	for (size_t i = 0; i < page->comparison->nr_totals && !page->brief; i++) {
		const struct difference *row = &page->comparison->totals[i];
		struct text line;

		if (strcmp(compared_metric(row->metric)->name, "wall_time") != 0 ||
		    row->verdict != VERDICT_UNKNOWN || isnan(difference_ratio(row)))
			continue;
		text_init(&line, out->arena);
		text_add(&line, "In all regions: ");
		add_values(&line, page, row);
		text_printf(&line, ", ratio %.3g; %s", difference_ratio(row), row->why);
		text_wrap(out, line.bytes, 2, WIDTH);
		text_add(out, "\n");
	}
}

/* ------------------------------------------------------------------ the rest */

static void add_cell(struct text *line, const struct diff_page *page,
		     const struct property_row *row, const struct property_cell *cell)
{
	bool valued = row->value_name && !isnan(cell->value);

	if (!cell->runs) {
		text_add_plain(line, cell->open ? "not answered" : "-");
		return;
	}
	valued = valued && !(page->brief && row->value_unit && !strcmp(row->value_unit, "ns"));
	if (valued)
		units_value(line, cell->value, row->value_unit);
	if (page->brief)
		text_add_plain(line, valued ? "" : "true");
	else
		text_printf(line, "%s%.2g %% of the time%s", valued ? " (" : "",
			    100 * cell->severity, valued ? ")" : "");
}

/* Of two recordings of one program one may have it, as times differ. */
static bool is_chance(const struct property_diff *diff, const struct property_row *row)
{
	return !row->of_data && row->change != PROPERTY_SAME &&
	       (diff->runs[0] < 2 || diff->runs[diff->nr_columns - 1] < 2);
}

static void add_property(struct text *out, const struct diff_page *page,
			 const struct property_row *row)
{
	const char *array = match_array_words(page->comparison->match, row->array),
		   *place = row->place == PROFILE_NONE ? "the program"
						       : diff_place(page->comparison, row->place);
	struct text line;

	text_init(&line, out->arena);
	text_printf(out, "  %-9s", property_change_name(row->change));
	text_printf(&line, "%s%s%s%s%s (%s%s)", row->title, array ? ": " : "", array ? array : "",
		    array ? " in the " : ": ", place, row->property,
		    is_chance(page->properties, row) ? ", of one run on a side" : "");
	text_wrap(out, line.bytes, 11, WIDTH);
	text_add(out, "\n           ");
	text_init(&line, out->arena);
	if (row->value_name)
		text_printf(&line, "%s: ", row->value_name);
	for (size_t i = 0; i < page->properties->nr_columns; i++) {
		text_printf(&line, "%s%s ", i ? ", " : "", page->columns[i]);
		add_cell(&line, page, row, &row->cells[i]);
	}
	text_wrap(out, line.bytes, 11, WIDTH);
	text_add(out, "\n");
}

static void add_properties(struct text *out, const struct diff_page *page)
{
	const struct property_diff *diff = page->properties;
	size_t most = page->most ? page->most : SIZE_MAX, nr = 0;

	for (size_t i = 0; i < diff->nr && nr < most; i++) {
		const struct property_row *row = &diff->rows[i];

		if (!page->all && (row->change == PROPERTY_SAME || row->change == PROPERTY_OPEN ||
				   row->refined || row->most < FINDING_LEAST))
			continue;
		if (!nr++)
			text_add(out, "\nFindings\n");
		add_property(out, page, row);
	}
	if (!nr && (page->by == DIFF_BY_PROPERTY || page->by == DIFF_BY_CAUSE))
		text_add(out, "\nThe findings of both sides are the same.\n");
}

static const char *growth_words(struct arena *arena, const struct growth_row *row)
{
	const struct growth *growth = &row->growth;

	if (!growth->valid)
		return "other";
	if (growth->class == FIT_POWER)
		return arena_printf(arena, "power %.2g", growth->exponent);
	return growth->factor < 0 && growth->class != FIT_CONSTANT
		       ? arena_printf(arena, "falls, %s", fit_class_name(growth->class))
		       : fit_class_name(growth->class);
}

static const char *growth_where(struct arena *arena, const struct diff_page *page,
				const struct growth_row *row)
{
	const struct matched_place *place = &page->growth_match->places[row->place];
	const struct matched_array *array = row->array == PROFILE_NONE
						    ? NULL
						    : &page->growth_match->arrays[row->array];
	const char *words =
		(place->of[MATCH_NEW] ? place->of[MATCH_NEW] : place->of[MATCH_BASE])->words;

	return array ? arena_printf(
			       arena, "%s in the %s",
			       (array->of[MATCH_NEW] ? array->of[MATCH_NEW] : array->of[MATCH_BASE])
				       ->words,
			       words)
		     : words;
}

static void add_growth(struct text *out, const struct diff_page *page, const struct growth_row *row)
{
	const struct compared_metric *metric = compared_metric(page->growths->metric);
	struct text line;

	text_printf(out, "  %-16s  ", growth_words(out->arena, row));
	text_wrap(out, growth_where(out->arena, page, row), 20, WIDTH);
	text_init(&line, out->arena);
	for (size_t i = 0; i < page->growths->nr_columns; i++) {
		text_add_plain(&line, i ? ", " : "");
		add_number(&line, row->means[i], metric->unit, page->brief);
	}
	if (row->growth.valid) {
		text_printf(&line, "; at %g %s ",
			    2 * page->growths->works[page->growths->nr_columns - 1], page->load);
		add_number(&line, row->next, metric->unit, page->brief);
		if (row->growth.error < EXACT)
			text_add(&line, ", the fit is exact");
		else
			text_printf(&line, ", error of the fit %.2g %%", 100 * row->growth.error);
	}
	if (row->saturation.valid)
		text_printf(&line, "; reaches the bound at %.3g %s [%.3g %.3g]",
			    row->saturation.load, page->load, row->saturation.interval.low,
			    row->saturation.interval.high);
	text_add(out, "\n                    ");
	text_wrap(out, line.bytes, 20, WIDTH);
	text_add(out, "\n");
}

/* What does not grow is one line. */
static void add_growths(struct text *out, const struct diff_page *page)
{
	const struct growths *growths = page->growths;
	size_t most = page->most ? page->most : SIZE_MAX, nr = 0, constant = 0;
	struct text loads;

	if (!growths->nr)
		return;
	text_init(&loads, out->arena);
	for (size_t i = 0; i < growths->nr_columns; i++)
		text_printf(&loads, "%s%g", i ? ", " : "", growths->works[i]);
	text_printf(out, "\nGrowth of %s with %s (%s)\n", compared_metric(growths->metric)->heading,
		    page->load, loads.bytes);
	for (size_t i = 0; i < growths->nr; i++) {
		bool flat = growths->rows[i].growth.valid &&
			    growths->rows[i].growth.class == FIT_CONSTANT;

		if (growths->rows[i].explained && !page->all)
			continue;
		constant += flat;
		if (!flat && nr < most) {
			add_growth(out, page, &growths->rows[i]);
			nr++;
		}
	}
	if (constant)
		text_printf(out, "  %-16s  %zu bucket%s\n", "constant", constant,
			    constant > 1 ? "s" : "");
}

static const char *resource_words(struct arena *arena, const struct diff_page *page,
				  const struct resource_row *row)
{
	const struct matched_place *place = &page->growth_match->places[row->place];
	const char *words =
		(place->of[MATCH_NEW] ? place->of[MATCH_NEW] : place->of[MATCH_BASE])->words;

	return row->kind == PROFILE_BANDWIDTH ? "memory bandwidth"
	       : row->kind == PROFILE_SERIAL  ? arena_printf(arena, "one thread: %s", words)
					      : words;
}

static void add_full(struct text *line, const struct diff_page *page,
		     const struct resource_row *row)
{
	if (!row->full.valid) {
		text_printf(line, "; not projected: %s", row->full.why);
		return;
	}
	text_printf(line, "; %s at %.3g %s", row->kind == PROFILE_LOCK ? "saturates" : "full",
		    row->full.load, page->load);
	if (isfinite(row->full.interval.high))
		text_printf(line, " [%.3g %.3g]", row->full.interval.low, row->full.interval.high);
}

static void add_columns(struct text *line, const double *values, size_t nr,
			void (*add)(struct text *text, double value))
{
	for (size_t i = 0; i < nr; i++) {
		text_add_plain(line, i ? ", " : "");
		if (isnan(values[i]))
			text_add(line, "-");
		else
			add(line, values[i]);
	}
}

/* Waiting time is printed beside hold time; only hold time is projected (resources.h). */
static void add_waits(struct text *line, const struct diff_page *page,
		      const struct resource_row *row)
{
	text_add(line, "; waited for ");
	add_columns(line, row->waited, page->resources->nr_columns, units_time);
	text_add(line, " a step");
	if (!isnan(row->hidden))
		text_printf(
			line,
			", which says nothing of more threads: of a lock that is full at %.3g %s no waiting is seen here (eq. 7)",
			row->hidden, page->load);
	if (row->waits.valid)
		text_printf(
			line,
			", by which it would be full at %.3g (waiting begins late, and is no measure of that)",
			1 / row->waits.s);
	if (isfinite(row->next_wait) && row->next_wait > 0) {
		text_add(line, "; with twice the threads each acquisition waits some ");
		units_time(line, row->next_wait);
		text_add(line, " (by the time it is held, eq. 6)");
	}
}

static void add_resource(struct text *out, const struct diff_page *page,
			 const struct resource_row *row)
{
	struct text line;

	text_init(&line, out->arena);
	text_printf(&line, "%s: in use ", resource_words(out->arena, page, row));
	add_columns(&line, row->used, page->resources->nr_columns, units_share);
	text_add(&line, " of the time");
	add_full(&line, page, row);
	if (row->kind == PROFILE_LOCK && !page->brief)
		add_waits(&line, page, row);
	text_add(out, "  ");
	text_wrap(out, line.bytes, 4, WIDTH);
	text_add(out, "\n");
}

static void add_resources(struct text *out, const struct diff_page *page)
{
	size_t most = page->most ? page->most : SIZE_MAX;

	for (size_t i = 0; i < page->resources->nr && i < most; i++) {
		if (!i)
			text_printf(out, "\nResources that can be full, by %s\n", page->load);
		add_resource(out, page, &page->resources->rows[i]);
	}
}

static void add_limits(struct text *out, const struct diff_page *page)
{
	for (size_t i = 0; i < page->nr_limits; i++) {
		if (!i)
			text_add(out, "\nLimits\n");
		text_printf(out, "  %s  ",
			    page->limits[i].limit->effect == LIMIT_FAIL ? "fail" : "warn");
		text_wrap(out, diff_limit(out, page, &page->limits[i]), 8, WIDTH);
		text_add(out, "\n");
	}
}

static void add_warnings(struct text *out, const struct diff_page *page)
{
	for (size_t i = 0; i < page->warnings->nr; i++) {
		if (!i)
			text_add(out, "\n");
		text_wrap(out, arena_printf(out->arena, "Note: %s.", page->warnings->items[i]), 6,
			  WIDTH);
		text_add(out, "\n");
	}
}

/* "L2 misses"; "L2 misses [counted]" where others of that heading were compared, too. */
static const char *heading_of(struct arena *arena, const struct comparison *comparison,
			      uint32_t metric)
{
	const struct compared_metric *own = compared_metric(metric);

	for (size_t i = 0; i < comparison->nr_totals; i++)
		if (comparison->totals[i].metric != metric &&
		    !strcmp(compared_metric(comparison->totals[i].metric)->heading, own->heading))
			return arena_printf(arena, "%s [%s]", own->heading,
					    ms_rung_name(own->rung));
	return own->heading;
}

/* What is not known, once for each reason: the metrics of the whole phase, and how many buckets. */
static void add_reason(struct text *out, const struct diff_page *page, const char *why)
{
	const struct comparison *comparison = page->comparison;
	double least = INFINITY, most = 0;
	size_t nr = 0, nr_metrics = 0;
	struct text line;

	text_init(&line, out->arena);
	for (size_t i = 0; i < comparison->nr_totals; i++)
		if (comparison->totals[i].why == why && is_printed(page, &comparison->totals[i]))
			text_printf(
				&line, "%s%s", nr_metrics++ ? ", " : "",
				heading_of(out->arena, comparison, comparison->totals[i].metric));
	for (size_t i = 0; i < comparison->nr; i++) {
		const struct difference *row = &comparison->rows[i];

		if (row->why != why || row->small || !diff_is_listed(page, row))
			continue;
		nr++;
		if (row->detectable > 0 && isfinite(row->detectable)) {
			least = fmin(least, row->detectable);
			most = fmax(most, row->detectable);
		}
	}
	if (!nr && !nr_metrics)
		return;
	if (nr)
		text_printf(&line, "%s%zu bucket%s", nr_metrics ? ", " : "", nr, nr > 1 ? "s" : "");
	text_printf(&line, ": %s", why);
	if (isfinite(least))
		text_printf(
			&line,
			"; the least changes that such runs show in four of five cases are %.2g to %.2g %%",
			100 * least, 100 * most);
	text_add(out, "  ");
	text_wrap(out, line.bytes, 4, WIDTH);
	text_add(out, "\n");
}

/* Reasons are constants: their addresses tell them apart. */
static void add_unknown(struct text *out, const struct diff_page *page)
{
	const struct comparison *comparison = page->comparison;
	const char *told[REASONS_MOST];
	struct text reasons;
	size_t nr = 0;

	for (size_t i = 0; i < comparison->nr_totals + comparison->nr && nr < REASONS_MOST; i++) {
		const char *why = (i < comparison->nr_totals
					   ? &comparison->totals[i]
					   : &comparison->rows[i - comparison->nr_totals])
					  ->why;
		bool known = !why;

		for (size_t k = 0; k < nr && !known; k++)
			known = told[k] == why;
		if (!known)
			told[nr++] = why;
	}
	text_init(&reasons, out->arena);
	for (size_t i = 0; i < nr; i++)
		add_reason(&reasons, page, told[i]);
	if (!reasons.length)
		return;
	text_add(out, "\nCannot tell\n");
	text_add_bytes(out, reasons.bytes, reasons.length);
}

static bool is_any(enum verdict verdict)
{
	return verdict_is_difference(verdict);
}

static bool is_neutral(enum verdict verdict)
{
	return verdict == VERDICT_MORE || verdict == VERDICT_LESS;
}

void diff_text(struct text *out, const struct diff_page *page)
{
	struct groups any = groups_of(out->arena, page, is_any, 1);
	bool buckets = page->by != DIFF_BY_PROPERTY && page->by != DIFF_BY_CAUSE;

	text_printf(out, "%s\n", page->title);
	if (buckets) {
		add_wall_time(out, page);
		add_totals(out, page);
		add_list(out, page,
			 arena_printf(out->arena, "Worse, by %s of %s", page->function_why,
				      page->metric == COMPARED_NONE
					      ? "each metric"
					      : compared_metric(page->metric)->heading),
			 is_worse);
		add_list(out, page, "Better", is_better);
		if (page->all)
			add_list(out, page, "Different, neither better nor worse", is_neutral);
		if (!any.nr)
			text_printf(out, "\n%s\n", diff_nothing(page));
		add_two_runs(out, page);
		add_unknown(out, page);
	}
	if (buckets) {
		add_growths(out, page);
		add_resources(out, page);
	}
	add_properties(out, page);
	add_limits(out, page);
	add_warnings(out, page);
}
