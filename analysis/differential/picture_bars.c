/* SPDX-License-Identifier: Apache-2.0 */
/* The buckets that got worse and better, as pairs of bars. */
#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/picture.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define BUCKETS_MOST 200 /* of a list: longer ones cannot be read */
#define NAMES 352.0      /* width of names … */
#define BARS 372.0       /* … of bars … */
#define BARS_AT 364.0    /* … which begin there, … */
#define VALUES_AT 748.0  /* … and of values */
#define SEEN 0.002       /* relative width of an interval */
#define BUCKET 40.0      /* height */
#define BAR 13.0

struct bars {
	struct text *out;
	const struct diff_page *page;
	const struct difference **rows;
	size_t nr, room, left; /* left: longer than the list */
	double scale;          /* px of one unit of the metric */
};

static double value_of(const struct difference *row, enum match_side side)
{
	return row->nr[side] ? row->mean[side] : 0;
}

static bool is_more(const struct difference *row)
{
	return row->verdict == VERDICT_WORSE || row->verdict == VERDICT_MORE ||
	       row->verdict == VERDICT_NEW;
}

/* ------------------------------------------------------------------ which buckets */

static bool is_shown(const struct bars *bars, const struct difference *row, bool more)
{
	const struct diff_page *page = bars->page;

	return row->metric == page->metric && verdict_is_difference(row->verdict) &&
	       is_more(row) == more && (page->all || !(row->small || row->slight)) &&
	       diff_is_listed(page, row);
}

static bool is_explained(const struct bars *bars, const struct difference *row, size_t first)
{
	bool explained = false;

	for (size_t i = first; i < bars->nr && !explained && !bars->page->all; i++)
		explained = diff_explains(bars->page->comparison->match, bars->rows[i], row);
	return explained;
}

/*
 * Those explained by inner regions leave the list when it is whole, as inner regions may come
 * behind.
 */
static void add_buckets(struct bars *bars, bool more)
{
	size_t most = bars->page->most && bars->page->most < BUCKETS_MOST ? bars->page->most
									  : BUCKETS_MOST,
	       first = bars->nr, kept = bars->nr;

	for (size_t i = 0; i < bars->page->comparison->nr; i++) {
		const struct difference *row = &bars->page->comparison->rows[i];

		if (!is_shown(bars, row, more))
			continue;
		if (bars->nr - first < 2 * most &&
		    ARENA_GROW(bars->out->arena, bars->rows, bars->nr, bars->room))
			bars->rows[bars->nr++] = row;
		else
			bars->left++;
	}
	for (size_t i = first; i < bars->nr; i++) {
		if (is_explained(bars, bars->rows[i], first))
			continue;
		if (kept - first < most)
			bars->rows[kept++] = bars->rows[i];
		else
			bars->left++;
	}
	bars->nr = kept;
}

static double largest(const struct bars *bars)
{
	double most = 0;

	for (size_t i = 0; i < bars->nr; i++) {
		const struct difference *row = bars->rows[i];

		most = fmax(most, fmax(value_of(row, MATCH_BASE), value_of(row, MATCH_NEW)));
		if (!row->exact && isfinite(difference_interval(row).high))
			most = fmax(most,
				    fmin(difference_interval(row).high * value_of(row, MATCH_BASE),
					 2 * value_of(row, MATCH_NEW)));
	}
	return most;
}

/* ------------------------------------------------------------------ drawing */

static const char *words_of(const struct bars *bars, double value)
{
	struct text text;

	text_init(&text, bars->out->arena);
	units_value(&text, value, compared_metric(bars->page->metric)->unit);
	return text.bytes;
}

/* Whether the interval is wide enough to be seen. */
static bool has_interval(const struct difference *row)
{
	struct interval interval = difference_interval(row);

	return !row->exact && interval.high - interval.low > SEEN * interval.high;
}

/* "new", "gone", or the ratio with its interval. */
static const char *change_of(const struct bars *bars, const struct difference *row)
{
	struct interval interval = difference_interval(row);
	struct arena *arena = bars->out->arena;

	if (row->verdict == VERDICT_NEW || row->verdict == VERDICT_GONE)
		return verdict_name(row->verdict);
	if (isnan(difference_ratio(row)))
		return "from none";
	if (!has_interval(row))
		return arena_printf(arena, "ratio %.3g", difference_ratio(row));
	return arena_printf(arena, "ratio %.3g [%.3g %.3g]", difference_ratio(row), interval.low,
			    interval.high);
}

/* The interval of the ratio is one of the new side's value, as the base's is the unit. */
static void draw_interval(const struct bars *bars, const struct difference *row, double y)
{
	struct interval interval = difference_interval(row);
	double base = value_of(row, MATCH_BASE) * bars->scale, low = fmax(interval.low, 0) * base,
	       high = fmin(interval.high * base, BARS);

	if (!has_interval(row) || !(high > low))
		return;
	svg_line(bars->out, BARS_AT + low, y, BARS_AT + high, y, "error");
	svg_line(bars->out, BARS_AT + low, y - 4, BARS_AT + low, y + 4, "error");
	svg_line(bars->out, BARS_AT + high, y - 4, BARS_AT + high, y + 4, "error");
}

/* The data structure or line first, which is what people look for, and below it where. */
static void draw_names(const struct bars *bars, const struct difference *row, const char *tip)
{
	const char *place = diff_place(bars->page->comparison, row->place),
		   *array = match_array_words(bars->page->comparison->match, row->array);

	svg_rect(bars->out, 0, 0, NAMES, BUCKET - 6, "page", tip);
	if (array || row->part != PROFILE_NONE) {
		svg_name(bars->out, 0, BAR, NAMES, "name",
			 array && row->part == PROFILE_NONE
				 ? array
				 : diff_where(bars->out, bars->page, row));
		svg_name(bars->out, 0, 2 * BAR + 1, NAMES, "name small dim", place);
	} else {
		svg_name(bars->out, 0, BAR, NAMES, "name", place);
	}
}

static void draw_bucket(const struct bars *bars, const struct difference *row, double y)
{
	const char *base = words_of(bars, value_of(row, MATCH_BASE)),
		   *new = words_of(bars, value_of(row, MATCH_NEW)), *change = change_of(bars, row);
	const char *tip = arena_printf(bars->out->arena, "%s: %s -> %s, %s",
				       diff_where(bars->out, bars->page, row), base, new, change);

	svg_open(bars->out, 0, y);
	draw_names(bars, row, tip);
	svg_rect(bars->out, BARS_AT, 2, value_of(row, MATCH_BASE) * bars->scale, BAR, "base", tip);
	svg_rect(bars->out, BARS_AT, 2 + BAR, value_of(row, MATCH_NEW) * bars->scale, BAR,
		 is_more(row) ? "more2" : "less2", tip);
	draw_interval(bars, row, 2 + 1.5 * BAR);
	svg_text(bars->out, VALUES_AT, BAR, SVG_START, "small dim",
		 row->verdict == VERDICT_NEW ? "" : base);
	svg_text(bars->out, VALUES_AT, 2 * BAR, SVG_START, "small",
		 arena_printf(bars->out->arena, "%s%s%s", row->verdict == VERDICT_GONE ? "" : new,
			      row->verdict == VERDICT_GONE ? "" : ", ", change));
	svg_close(bars->out);
}

static bool any_interval(const struct bars *bars)
{
	bool any = false;

	for (size_t i = 0; i < bars->nr; i++)
		any |= has_interval(bars->rows[i]);
	return any;
}

static double draw_head(const struct bars *bars)
{
	const struct compared_metric *metric = compared_metric(bars->page->metric);
	bool cost = metric->direction == METRIC_COST;
	struct arena *arena = bars->out->arena;
	double x = 0;

	svg_text(bars->out, 0, 14, SVG_START, "head",
		 arena_printf(arena, "%s: %s [%s]",
			      cost ? "What got worse and better" : "What is more and less",
			      metric->heading, ms_rung_name(metric->rung)));
	x = picture_key(bars->out, x, 36, "base", bars->page->names[MATCH_BASE]);
	x = picture_key(bars->out, x, 36, "more2",
			arena_printf(arena, "%s, %s", bars->page->names[MATCH_NEW],
				     cost ? "worse" : "more"));
	x = picture_key(bars->out, x, 36, "less2",
			arena_printf(arena, "%s, %s", bars->page->names[MATCH_NEW],
				     cost ? "better" : "less"));
	if (any_interval(bars))
		svg_text(bars->out, x, 36, SVG_START, "small", "lines: 95 % interval");
	return 50;
}

double picture_bars(struct text *out, const struct diff_page *page)
{
	struct diff_page buckets = *page;
	struct bars bars = { .out = out, .page = &buckets };
	double y, most;

	if (page->by == DIFF_BY_PROPERTY || page->by == DIFF_BY_CAUSE)
		buckets.by = DIFF_BY_ARRAY;
	add_buckets(&bars, true);
	add_buckets(&bars, false);
	y = draw_head(&bars);
	most = largest(&bars);
	bars.scale = most > 0 ? BARS / most : 0;
	for (size_t i = 0; i < bars.nr; i++, y += BUCKET)
		draw_bucket(&bars, bars.rows[i], y);
	if (!bars.nr)
		svg_text(out, 0, y + 10, SVG_START, "dim",
			 "No bucket has a difference that these runs prove.");
	if (bars.left)
		svg_text(out, 0, y + 10, SVG_START, "dim",
			 arena_printf(out->arena, "%zu more buckets", bars.left));
	return bars.left || !bars.nr ? y + 14 : y;
}
