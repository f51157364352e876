/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of functions, regions and data structures, after B. Gregg's flame graphs ("The Flame
 * Graph", CACM 59(6), 2016) with the root on top: a box is as wide as its part of the metric on the
 * new side, its colour is the change from the base.
 */
#define _GNU_SOURCE /* qsort_r */
#include <math.h>
#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/differential/call_tree.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/picture.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define ROW 22.0
#define ROWS_MOST 64    /* deeper calls are not drawn */
#define LEAST_WIDTH 0.5 /* px, below which a box is not drawn */
#define LISTED_MOST 8   /* of what the new side has not */

enum change { CHANGE_UNKNOWN, CHANGE_NONE, CHANGE_PROVEN };

struct flames {
	struct text *out;
	const struct diff_page *page;
	struct call_tree tree;
	double *own[MATCH_SIDES], *total[MATCH_SIDES];
	const struct difference **rows; /* of each node; NULL: it has none of its own */
	/* the most that is known of a node and of those below it */
	enum change *changes;
	uint32_t deepest;    /* row that was drawn */
	size_t narrow, deep; /* nodes that were not drawn, without those below them */
};

/* Steps of the colour scale, by the ratio of new to base or its reciprocal. */
static const struct step {
	double least;
	const char *more, *less;
} steps[] = {
	{ 2, "more3", "less3" },
	{ 1.2, "more2", "less2" },
	{ 1.01, "more1", "less1" },
};

/* ------------------------------------------------------------------ values */

static bool is_of_tree(const struct flames *flames, const struct difference *row)
{
	return row->metric == flames->page->metric && row->part == PROFILE_NONE;
}

/* Nodes of all rows first, as data structures become nodes by them. */
static bool add_nodes(struct flames *flames)
{
	const struct comparison *comparison = flames->page->comparison;

	for (size_t i = 0; i < comparison->nr; i++)
		if (is_of_tree(flames, &comparison->rows[i]))
			call_tree_node(&flames->tree, comparison->rows[i].place,
				       comparison->rows[i].array);
	return !flames->tree.failed;
}

static void set_row(struct flames *flames, const struct difference *row,
		    double *values[MATCH_SIDES])
{
	uint32_t node = is_of_tree(flames, row)
				? call_tree_node(&flames->tree, row->place, row->array)
				: CALL_NONE;

	if (node == CALL_NONE)
		return;
	flames->rows[node] = row;
	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		values[side][node] = row->nr[side] ? row->mean[side] : NAN;
	flames->changes[node] = row->verdict == VERDICT_UNKNOWN ? CHANGE_UNKNOWN
				: row->verdict == VERDICT_SAME  ? CHANGE_NONE
								: CHANGE_PROVEN;
}

/*
 * What is known of a function is what is known of its regions, as it has no row of its own; so it
 * is of a region whose row leaves out what is inside of it.
 */
static void spread_changes(struct flames *flames)
{
	bool exclusive = compared_is_exclusive(compared_metric(flames->page->metric)->of[0]);

	for (size_t i = flames->tree.nr; i-- > 1;) {
		uint32_t parent = flames->tree.nodes[i].parent;

		if ((exclusive || !flames->rows[parent]) &&
		    flames->changes[i] > flames->changes[parent])
			flames->changes[parent] = flames->changes[i];
	}
}

static bool set_values(struct flames *flames)
{
	const struct comparison *comparison = flames->page->comparison;
	struct arena *arena = flames->out->arena;
	size_t nr = flames->tree.nr;
	double *values[MATCH_SIDES];

	flames->rows = arena_alloc(arena, nr * sizeof(*flames->rows));
	flames->changes = arena_alloc(arena, nr * sizeof(*flames->changes));
	if (!flames->rows || !flames->changes)
		return false;
	for (enum match_side side = 0; side < MATCH_SIDES; side++) {
		values[side] = arena_alloc(arena, nr * sizeof(double));
		flames->own[side] = arena_alloc(arena, nr * sizeof(double));
		flames->total[side] = arena_alloc(arena, nr * sizeof(double));
		if (!values[side] || !flames->own[side] || !flames->total[side])
			return false;
		for (size_t i = 0; i < nr; i++)
			values[side][i] = NAN;
	}
	for (size_t i = 0; i < comparison->nr_totals; i++)
		set_row(flames, &comparison->totals[i], values);
	for (size_t i = 0; i < comparison->nr; i++)
		set_row(flames, &comparison->rows[i], values);
	spread_changes(flames);
	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		call_tree_sum(&flames->tree, values[side],
			      compared_is_exclusive(compared_metric(flames->page->metric)->of[0]),
			      flames->own[side], flames->total[side]);
	return true;
}

/* ------------------------------------------------------------------ boxes */

static const char *words_of(const struct flames *flames, double value)
{
	struct text text;

	text_init(&text, flames->out->arena);
	if (isnan(value))
		return "not measured";
	units_value(&text, value, compared_metric(flames->page->metric)->unit);
	return text.bytes;
}

static const char *class_of(const struct flames *flames, uint32_t node)
{
	double base = flames->total[MATCH_BASE][node], new = flames->total[MATCH_NEW][node];

	if (flames->changes[node] == CHANGE_UNKNOWN)
		return "unknown";
	if (flames->changes[node] == CHANGE_NONE)
		return "same";
	if (!(base > 0))
		return "more3";
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (new >= steps[i].least * base || new *steps[i].least <= base)
			return new > base ? steps[i].more : steps[i].less;
	return "same";
}

static bool is_strong(const char *class)
{
	return class[4] == '3';
}

static const char *name_of(const struct flames *flames, uint32_t node)
{
	const struct difference *row = flames->rows[node];

	return row && row->verdict == VERDICT_NEW
		       ? arena_printf(flames->out->arena, "new: %s", flames->tree.nodes[node].name)
		       : flames->tree.nodes[node].name;
}

static const char *tip_of(const struct flames *flames, uint32_t node)
{
	double base = flames->total[MATCH_BASE][node], new = flames->total[MATCH_NEW][node];
	const struct difference *row = flames->rows[node];
	const char *why = row && row->why ? row->why : NULL;
	struct text tip;

	text_init(&tip, flames->out->arena);
	text_printf(&tip, "%s: %s -> %s", flames->tree.nodes[node].name,
		    isnan(base) && flames->changes[node] == CHANGE_PROVEN ? "none"
									  : words_of(flames, base),
		    words_of(flames, new));
	if (base > 0 && !isnan(new))
		text_printf(&tip, ", ratio %.3g", new / base);
	text_printf(&tip, ", %.3g %% of %s", 100 * new / flames->total[MATCH_NEW][0],
		    flames->page->names[MATCH_NEW]);
	if (why)
		text_printf(&tip, "; cannot tell: %s", why);
	return tip.bytes;
}

static int wider(const void *left, const void *right, void *totals)
{
	const double *total = totals;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (total[a] > total[b] || total[a] < total[b])
		return total[a] > total[b] ? -1 : 1;
	return (a > b) - (a < b);
}

/* Widest first. Those without a value on the new side are none of them. */
static size_t children_of(const struct flames *flames, uint32_t node, uint32_t **out)
{
	const struct call_node *nodes = flames->tree.nodes;
	double *total = flames->total[MATCH_NEW];
	size_t nr = 0, room = 0;

	*out = NULL;
	for (uint32_t i = nodes[node].first; i != CALL_NONE; i = nodes[i].next)
		if (total[i] > 0 && ARENA_GROW(flames->out->arena, *out, nr, room))
			(*out)[nr++] = i;
	if (nr)
		qsort_r(*out, nr, sizeof(**out), wider, total);
	return nr;
}

static void draw_node(struct flames *flames, uint32_t node, double x)
{
	double scale = PICTURE_WIDTH / flames->total[MATCH_NEW][0],
	       width = flames->total[MATCH_NEW][node] * scale;
	uint32_t depth = flames->tree.nodes[node].depth, *children;
	const char *class = class_of(flames, node);
	size_t nr;

	flames->narrow += width < LEAST_WIDTH;
	flames->deep += depth >= ROWS_MOST;
	if (width < LEAST_WIDTH || depth >= ROWS_MOST)
		return;
	flames->deepest = depth > flames->deepest ? depth : flames->deepest;
	svg_rect(flames->out, x, depth * ROW, width > 1.5 ? width - 1 : width, ROW - 1, class,
		 tip_of(flames, node));
	svg_name(flames->out, x + 4, depth * ROW + 15, width - 8,
		 is_strong(class) ? "name on3" : "name", name_of(flames, node));
	nr = children_of(flames, node, &children);
	for (size_t i = 0; i < nr; i++) {
		draw_node(flames, children[i], x);
		x += flames->total[MATCH_NEW][children[i]] * scale;
	}
}

/* ------------------------------------------------------------------ around it */

static double draw_head(const struct flames *flames)
{
	const struct compared_metric *metric = compared_metric(flames->page->metric);
	size_t nr = sizeof(steps) / sizeof(steps[0]);
	struct arena *arena = flames->out->arena;
	double x = 0;

	svg_text(flames->out, 0, 14, SVG_START, "head",
		 arena_printf(arena, "Where it is: %s [%s]; width: %s, colour: change from %s",
			      metric->heading, ms_rung_name(metric->rung),
			      flames->page->names[MATCH_NEW], flames->page->names[MATCH_BASE]));
	for (size_t i = 0; i < nr; i++)
		x = picture_key(flames->out, x, 36, steps[i].less,
				arena_printf(arena, i ? "%.2g" : "ratio %.2g and less",
					     1 / steps[i].least));
	x = picture_key(flames->out, x, 36, "same", "the same");
	for (size_t i = nr; i-- > 0;)
		x = picture_key(flames->out, x, 36, steps[i].more,
				arena_printf(arena, i ? "%.3g" : "%.3g and more", steps[i].least));
	picture_key(flames->out, x, 36, "unknown", "cannot tell");
	return 52;
}

/*
 * What has no width on the new side: regions and data structures that are gone, or were not
 * measured there.
 */
static double list_others(const struct flames *flames, double y)
{
	double all = flames->total[MATCH_BASE][0];
	size_t nr = 0;

	for (uint32_t i = 0; i < flames->tree.nr; i++) {
		const struct difference *row = flames->rows[i];

		if (!row || row->small || row->nr[MATCH_NEW] || !(row->mean[MATCH_BASE] > 0) ||
		    (row->array != PROFILE_NONE && row->verdict != VERDICT_GONE))
			continue;
		if (nr++ >= LISTED_MOST)
			continue;
		svg_name(flames->out, 0, y + 12, PICTURE_WIDTH, "name small dim",
			 arena_printf(flames->out->arena, "%s: %s, %s in %s (%.2g %% of all)",
				      row->verdict == VERDICT_GONE ? "gone"
								   : "not measured in the new runs",
				      diff_where(flames->out, flames->page, row),
				      words_of(flames, row->mean[MATCH_BASE]),
				      flames->page->names[MATCH_BASE],
				      100 * row->mean[MATCH_BASE] / all));
		y += 16;
	}
	if (nr > LISTED_MOST) {
		svg_text(flames->out, 0, y + 12, SVG_START, "small dim",
			 arena_printf(flames->out->arena, "%zu more", nr - LISTED_MOST));
		y += 16;
	}
	return y;
}

static double note_hidden(const struct flames *flames, double y)
{
	if (!flames->narrow && !flames->deep)
		return y;
	svg_text(flames->out, 0, y + 12, SVG_START, "small dim",
		 arena_printf(flames->out->arena, "%zu too narrow to draw, %zu too deep",
			      flames->narrow, flames->deep));
	return y + 16;
}

double picture_tree(struct text *out, const struct diff_page *page)
{
	struct flames flames = { .out = out, .page = page };
	double y;

	if (!call_tree_build(out->arena, page->comparison->match, &flames.tree) ||
	    !add_nodes(&flames) || !set_values(&flames)) {
		out->cut = 1;
		return 0;
	}
	if (!(flames.total[MATCH_NEW][0] > 0))
		return 0;
	y = draw_head(&flames);
	svg_open(out, 0, y);
	draw_node(&flames, 0, 0);
	svg_close(out);
	y += (flames.deepest + 1) * ROW + 4;
	return note_hidden(&flames, list_others(&flames, y));
}
