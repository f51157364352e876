/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a metric grows with the load, region by region: measurements, the curve through them, its
 * band and its projection.
 */
#define _GNU_SOURCE /* qsort_r */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/buckets.h"
#include "analysis/differential/call_tree.h"
#include "analysis/differential/curve.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/picture.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define PANELS_MOST 9 /* the phase and its regions */
#define PANELS_WIDE 3
#define PANEL_GAP 20.0
#define PANEL_WIDTH ((PICTURE_WIDTH - (PANELS_WIDE - 1) * PANEL_GAP) / PANELS_WIDE)
#define PANEL_HEIGHT 236.0
#define PLOT_AT 58.0 /* left of it: values */
#define PLOT_WIDTH (PANEL_WIDTH - PLOT_AT - 6)
#define PLOT_TOP 42.0
#define PLOT_HEIGHT 146.0
#define SAMPLES 49 /* points of a curve */
/* the curve continues to that many times the largest load … */
#define PROJECTED 2.0
#define HIGHEST 2.0 /* … or to that many times the largest value */
#define CONFIDENCE 0.95
/* part of a region's value in an inner one, from which on the outer one has no panel */
#define INNER 0.9
#define LOADS_LEAST 3 /* that a curve needs, and a picture */
/* ratio of the largest load to the smallest, from which on their axis is logarithmic */
#define LOGARITHMIC 4.0

struct loads {
	struct text *out;
	const struct diff_page *page;
	const struct match *match;
	struct buckets buckets;
	struct call_tree tree;
	/* by node of the tree; CALL_NONE: nothing was measured there */
	uint32_t *bucket_of;
	double *work;          /* load of each run */
	bool *fits;            /* whether the curve is of that run, too */
	double least, largest; /* loads */
};

/* The runs under one load. */
struct point {
	double work, mean, low, high;
	size_t nr;
	bool fits;
};

struct panel {
	const struct loads *loads;
	const char *name;
	struct point *points;
	size_t nr, room;
	struct load *fitted;
	size_t nr_fitted;
	struct curve curve;
	double top; /* value at the upper edge */
};

/* ------------------------------------------------------------------ measurements */

static struct point *point_of(struct panel *panel, double work)
{
	for (size_t i = 0; i < panel->nr; i++)
		if (panel->points[i].work == work)
			return &panel->points[i];
	if (!ARENA_GROW(panel->loads->out->arena, panel->points, panel->nr, panel->room))
		return NULL;
	panel->points[panel->nr] = (struct point){ .work = work,
						   .low = INFINITY,
						   .high = -INFINITY };
	return &panel->points[panel->nr++];
}

static int by_work(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	return (a->work > b->work) - (a->work < b->work);
}

static bool add_values(struct panel *panel, const double *values)
{
	const struct loads *loads = panel->loads;

	panel->fitted = arena_alloc(loads->out->arena,
				    (loads->match->nr_runs + 1) * sizeof(*panel->fitted));
	for (size_t i = 0; i < loads->match->nr_runs && panel->fitted; i++) {
		struct point *point = isnan(values[i]) ? NULL : point_of(panel, loads->work[i]);

		if (!point)
			continue;
		point->mean = (point->mean * (double)point->nr + values[i]) /
			      (double)(point->nr + 1);
		point->nr++;
		point->low = fmin(point->low, values[i]);
		point->high = fmax(point->high, values[i]);
		point->fits = loads->fits[i];
		if (loads->fits[i])
			panel->fitted[panel->nr_fitted++] = (struct load){ loads->work[i],
									   values[i] };
	}
	if (panel->nr)
		qsort(panel->points, panel->nr, sizeof(*panel->points), by_work);
	return panel->fitted;
}

static size_t nr_fitted_loads(const struct panel *panel)
{
	size_t nr = 0;

	for (size_t i = 0; i < panel->nr; i++)
		nr += panel->points[i].fits;
	return nr;
}

static void set_curve(struct panel *panel)
{
	double last, measured = 0;

	for (size_t i = 0; i < panel->nr; i++)
		measured = fmax(measured, panel->points[i].high);
	panel->top = measured > 0 ? 1.05 * measured : 1;
	if (nr_fitted_loads(panel) < LOADS_LEAST) {
		panel->curve = (struct curve){ .why = "a curve needs three loads" };
		return;
	}
	panel->curve = curve_fit(panel->loads->out->arena, panel->fitted, panel->nr_fitted);
	last = panel->curve.valid ? curve_at(&panel->curve, PROJECTED * panel->loads->largest) : 0;
	panel->top = fmax(panel->top, fmin(1.05 * last, HIGHEST * measured));
}

/* ------------------------------------------------------------------ drawing */

static double x_of(const struct loads *loads, double work)
{
	double most = PROJECTED * loads->largest,
	       at = (work - loads->least) / (most - loads->least);

	if (loads->largest >= LOGARITHMIC * loads->least)
		at = log(work / loads->least) / log(most / loads->least);
	return PLOT_AT + 8 + at * (PLOT_WIDTH - 16);
}

/* `at` from 0 to 1 along the axis. */
static double work_at(const struct loads *loads, double at)
{
	double most = PROJECTED * loads->largest;

	return loads->largest >= LOGARITHMIC * loads->least
		       ? loads->least * pow(most / loads->least, at)
		       : loads->least + at * (most - loads->least);
}

static double y_of(const struct panel *panel, double value)
{
	return PLOT_TOP + PLOT_HEIGHT * (1 - fmin(fmax(value / panel->top, 0), 1));
}

static const char *words_of(const struct panel *panel, double value)
{
	struct text text;

	text_init(&text, panel->loads->out->arena);
	units_value(&text, value, compared_metric(panel->loads->page->metric)->unit);
	return text.bytes;
}

/* 1, 2 or 5 times a power of ten; of bytes a power of two: two to five of them are in `most`. */
static double step_of(const struct panel *panel, double most)
{
	double step;

	if (!strcmp(compared_metric(panel->loads->page->metric)->unit, "bytes"))
		return exp2(floor(log2(most / 2)));
	step = pow(10, floor(log10(most / 2)));
	return most / 2 >= 5 * step ? 5 * step : most / 2 >= 2 * step ? 2 * step : step;
}

static void draw_axes(const struct panel *panel)
{
	struct text *out = panel->loads->out;
	double right = PLOT_AT + PLOT_WIDTH, bottom = PLOT_TOP + PLOT_HEIGHT, before = -INFINITY,
	       step = step_of(panel, panel->top);

	for (int i = 0; i * step <= panel->top; i++) {
		svg_line(out, PLOT_AT, y_of(panel, i * step), right, y_of(panel, i * step),
			 i ? "grid" : "axis");
		svg_text(out, PLOT_AT - 5, y_of(panel, i * step) + 4, SVG_END, "small dim",
			 words_of(panel, i * step));
	}
	for (size_t i = 0; i < panel->nr; i++) {
		double x = x_of(panel->loads, panel->points[i].work);

		svg_line(out, x, bottom, x, bottom + 4, "axis");
		if (x - before < 20) /* numbers of four digits have room */
			continue;
		svg_text(out, x, bottom + 16, SVG_MIDDLE, "small dim",
			 arena_printf(out->arena, "%g", panel->points[i].work));
		before = x;
	}
	svg_name(out, 0, bottom + 16, PLOT_AT - 5, "name small dim", panel->loads->page->load);
}

/* From the first fitted load on. */
static void draw_band(const struct panel *panel, double first)
{
	struct svg_point points[2 * SAMPLES];
	size_t nr = 0;

	for (int i = 0; i < SAMPLES; i++) {
		double work = work_at(panel->loads, (double)i / (SAMPLES - 1));
		struct interval band = curve_band(&panel->curve, work, CONFIDENCE);

		if (work < first || !isfinite(band.low + band.high))
			continue;
		points[nr] = (struct svg_point){ x_of(panel->loads, work), y_of(panel, band.high) };
		points[2 * SAMPLES - 1 - nr] = (struct svg_point){ points[nr].x,
								   y_of(panel, band.low) };
		nr++;
	}
	for (size_t i = 0; i < nr; i++)
		points[nr + i] = points[2 * SAMPLES - nr + i];
	if (nr > 1)
		svg_area(panel->loads->out, points, 2 * nr, "band");
}

/* The part between two loads that is within the plot. */
static void draw_curve(const struct panel *panel, double from, double to, const char *class)
{
	struct svg_point points[SAMPLES];
	size_t nr = 0;

	for (int i = 0; i < SAMPLES; i++) {
		double work = from * pow(to / from, (double)i / (SAMPLES - 1)),
		       value = curve_at(&panel->curve, work);

		if (value >= 0 && value <= panel->top)
			points[nr++] = (struct svg_point){ x_of(panel->loads, work),
							   y_of(panel, value) };
	}
	if (nr > 1)
		svg_curve(panel->loads->out, points, nr, class);
}

static void draw_points(const struct panel *panel)
{
	struct text *out = panel->loads->out;

	for (size_t i = 0; i < panel->nr; i++) {
		const struct point *point = &panel->points[i];
		double x = x_of(panel->loads, point->work);
		const char *tip = arena_printf(
			out->arena, "%s %g: %s; %zu run%s, %s to %s", panel->loads->page->load,
			point->work, words_of(panel, point->mean), point->nr,
			point->nr == 1 ? "" : "s", words_of(panel, point->low),
			words_of(panel, point->high));

		svg_line(out, x, y_of(panel, point->low), x, y_of(panel, point->high), "error");
		svg_circle(out, x, y_of(panel, point->mean), 4, point->fits ? "point" : "outside",
			   tip);
	}
}

/* "linear; at 64: 1887 k [1693 k 2081 k]" */
static const char *curve_words(const struct panel *panel)
{
	const struct curve *curve = &panel->curve;
	double work = PROJECTED * panel->loads->largest;
	const char *value, *low, *high;
	struct interval band;
	struct text text;

	text_init(&text, panel->loads->out->arena);
	if (!curve->valid)
		return curve->why ? curve->why : "no curve";
	band = curve_band(curve, work, CONFIDENCE);
	value = words_of(panel, fmax(curve_at(curve, work), 0));
	low = words_of(panel, fmax(band.low, 0));
	high = words_of(panel, fmax(band.high, 0));
	text_printf(&text, "%s", fit_class_name(curve->growth.class));
	if (curve->growth.class == FIT_POWER)
		text_printf(&text, " %.2g", curve->growth.exponent);
	text_printf(&text, "; at %g: %s", work, value);
	if (isfinite(band.low + band.high) && (strcmp(low, value) != 0 || strcmp(high, value) != 0))
		text_printf(&text, " [%s %s]", low, high);
	return text.bytes;
}

static double first_fitted(const struct panel *panel)
{
	double first = INFINITY;

	for (size_t i = 0; i < panel->nr; i++)
		if (panel->points[i].fits)
			first = fmin(first, panel->points[i].work);
	return first;
}

static void draw_panel(const struct panel *panel)
{
	struct text *out = panel->loads->out;

	svg_name(out, 0, 14, PANEL_WIDTH, "name", panel->name);
	svg_name(out, 0, 29, PANEL_WIDTH, "name small dim", curve_words(panel));
	draw_axes(panel);
	if (panel->curve.valid) {
		draw_band(panel, first_fitted(panel));
		draw_curve(panel, first_fitted(panel), panel->loads->largest, "fit");
		draw_curve(panel, panel->loads->largest, PROJECTED * panel->loads->largest,
			   "projected");
	}
	draw_points(panel);
}

/* ------------------------------------------------------------------ which regions */

static const double *values_of(const struct loads *loads, uint32_t node)
{
	return &loads->buckets.values[loads->bucket_of[node] * loads->buckets.nr_runs];
}

/* Mean under the largest load; 0: not measured there. */
static double weight_of(const struct loads *loads, uint32_t node)
{
	double sum = 0, nr = 0;

	for (size_t i = 0; i < loads->match->nr_runs; i++) {
		double value = loads->work[i] == loads->largest ? values_of(loads, node)[i] : NAN;

		sum += isnan(value) ? 0 : value;
		nr += !isnan(value);
	}
	return nr > 0 ? sum / nr : 0;
}

static bool is_shell(const struct loads *loads, uint32_t node)
{
	const struct call_node *nodes = loads->tree.nodes;

	for (uint32_t i = nodes[node].first; i != CALL_NONE; i = nodes[i].next)
		if (nodes[i].kind != CALL_DATA && loads->bucket_of[i] != CALL_NONE &&
		    weight_of(loads, i) >= INNER * weight_of(loads, node))
			return true;
	return false;
}

static int heavier(const void *left, const void *right, void *loads)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	double of_a = weight_of(loads, a), of_b = weight_of(loads, b);

	if (of_a > of_b || of_a < of_b)
		return of_a > of_b ? -1 : 1;
	return (a > b) - (a < b);
}

/* The phase, then its largest regions. */
static size_t choose(struct loads *loads, uint32_t **out)
{
	size_t nr = 0, room = 0;

	*out = NULL;
	for (uint32_t i = 0; i < loads->tree.nr; i++)
		if (loads->bucket_of[i] != CALL_NONE &&
		    (!i || (weight_of(loads, i) > 0 && !is_shell(loads, i))) &&
		    ARENA_GROW(loads->out->arena, *out, nr, room))
			(*out)[nr++] = i;
	if (nr > 1)
		qsort_r(*out + 1, nr - 1, sizeof(**out), heavier, loads);
	return nr < PANELS_MOST ? nr : PANELS_MOST;
}

/* ------------------------------------------------------------------ reading */

/*
 * Runs of one thread have no contention and another algorithm, perhaps (McKenney 1999); times of
 * more threads than CPUs are those of the scheduler.
 */
static bool fits(const struct loads *loads, size_t run)
{
	bool alone = !strcmp(loads->page->load, SETTING_THREADS) && loads->work[run] <= 1;

	return !alone && !(compared_is_time(loads->page->metric) &&
			   loads->match->runs[run].profile->oversubscribed);
}

static bool set_runs(struct loads *loads)
{
	const struct match *match = loads->match;

	loads->work = arena_alloc(loads->out->arena, (match->nr_runs + 1) * sizeof(*loads->work));
	loads->fits = arena_alloc(loads->out->arena, (match->nr_runs + 1) * sizeof(*loads->fits));
	if (!loads->work || !loads->fits)
		return false;
	loads->least = INFINITY;
	for (size_t i = 0; i < match->nr_runs; i++) {
		loads->work[i] = loads->page->growths->works[loads->page->growth_columns[i]];
		loads->fits[i] = fits(loads, i);
		loads->least = fmin(loads->least, loads->work[i]);
		loads->largest = fmax(loads->largest, loads->work[i]);
	}
	return true;
}

static bool set_buckets(struct loads *loads)
{
	if (!buckets_fill(loads->out->arena, loads->match, &loads->buckets) ||
	    !call_tree_build(loads->out->arena, loads->match, &loads->tree))
		return false;
	loads->bucket_of = arena_alloc(loads->out->arena,
				       (loads->tree.nr + 1) * sizeof(*loads->bucket_of));
	for (size_t i = 0; i < loads->tree.nr && loads->bucket_of; i++)
		loads->bucket_of[i] = CALL_NONE;
	for (uint32_t i = 0; i < loads->buckets.nr && loads->bucket_of; i++) {
		const struct bucket_key *key = &loads->buckets.keys[i];

		if (key->metric == loads->page->metric && key->array == PROFILE_NONE &&
		    key->part == PROFILE_NONE)
			loads->bucket_of[call_tree_node(&loads->tree, key->place, PROFILE_NONE)] =
				i;
	}
	return loads->bucket_of;
}

static double draw_head(const struct loads *loads)
{
	const struct compared_metric *metric = compared_metric(loads->page->metric);
	bool any = false;

	for (size_t i = 0; i < loads->match->nr_runs; i++)
		any |= !loads->fits[i];
	svg_text(loads->out, 0, 14, SVG_START, "head",
		 arena_printf(loads->out->arena, "How it grows with %s: %s [%s]", loads->page->load,
			      metric->heading, ms_rung_name(metric->rung)));
	svg_text(
		loads->out, 0, 34, SVG_START, "small dim",
		any ? "Points: mean of the runs, least to most; line: the curve that predicts them best, dashed: projected; band: 95 % of the curve. Hollow points are not part of it."
		    : "Points: mean of the runs, least to most; line: the curve that predicts them best, dashed: projected; band: 95 % of the curve.");
	return 46;
}

static double draw_panels(struct loads *loads)
{
	uint32_t *nodes;
	size_t nr = choose(loads, &nodes);
	double y = draw_head(loads);

	for (size_t i = 0; i < nr; i++) {
		struct panel panel = { .loads = loads, .name = loads->tree.nodes[nodes[i]].name };

		if (!add_values(&panel, values_of(loads, nodes[i])))
			return 0;
		set_curve(&panel);
		svg_open(loads->out, (double)(i % PANELS_WIDE) * (PANEL_WIDTH + PANEL_GAP),
			 y + (double)(i / PANELS_WIDE) * PANEL_HEIGHT);
		draw_panel(&panel);
		svg_close(loads->out);
	}
	return nr ? y + (double)((nr + PANELS_WIDE - 1) / PANELS_WIDE) * PANEL_HEIGHT - 16 : 0;
}

double picture_loads(struct text *out, const struct diff_page *page)
{
	struct loads loads = { .out = out, .page = page, .match = page->growth_match };

	if (!page->growths || page->growths->nr_columns < LOADS_LEAST)
		return 0;
	if (!set_runs(&loads) || !set_buckets(&loads)) {
		out->cut = 1;
		return 0;
	}
	return loads.largest > loads.least && loads.least > 0 ? draw_panels(&loads) : 0;
}
