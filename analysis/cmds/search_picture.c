/* SPDX-License-Identifier: Apache-2.0 */
/* Search profiles as SVG. */
#include "analysis/cmds/search_picture.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/finding.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"

#define WIDTH 760.0 /* px */
#define PLOT_LEFT 56.0
#define PLOT_TOP 34.0
#define PLOT_WIDTH 440.0
#define PLOT_HEIGHT 200.0
#define PANEL_HEIGHT 290.0
#define LEGEND_LEFT 516.0
#define LEGEND_LINE 20.0
#define PARTS 10  /* points of a curve */
#define TICKS 4   /* of the axis of executions */
#define COLOURS 7 /* of series in svg.c */
#define DODGE 1.2 /* px between the curves of strategies, so that bars do not cover each other */

/* Runs of one program. */
struct panel {
	struct arena *arena;
	const struct compared_run **runs;
	size_t nr;
	double most; /* executions */
};

struct point {
	double mean, least, most; /* NAN: not reached in every run */
};

static size_t findings_in(const struct compared_run *run, int tenths)
{
	return (size_t)ceil(tenths * (double)run->known / PARTS);
}

/* Of few findings, more than one tenth ends at the same one: the last of these stands for it. */
static bool is_drawn(const struct panel *panel, int tenths)
{
	for (size_t i = 0; i < panel->nr; i++)
		if (tenths == PARTS ||
		    findings_in(panel->runs[i], tenths) != findings_in(panel->runs[i], tenths + 1))
			return true;
	return false;
}

/* Until this number of tenths of the known findings was found. */
static struct point point_of(const struct panel *panel, size_t strategy, int tenths)
{
	struct point point = { is_drawn(panel, tenths) ? 0 : NAN, INFINITY, 0 };

	for (size_t i = 0; i < panel->nr; i++) {
		const struct compared_run *run = panel->runs[i];
		double executions = search_profile_until(&run->searches[strategy].profile,
							 findings_in(run, tenths));

		point.mean += executions / (double)panel->nr;
		point.least = fmin(point.least, executions);
		point.most = fmax(point.most, executions);
	}
	return point;
}

/* A round number above the largest of the points. */
static double axis_end(const struct panel *panel)
{
	double most = 0, step;

	for (size_t k = 0; k < panel->runs[0]->nr; k++)
		for (int tenths = 1; tenths <= PARTS; tenths++) {
			struct point point = point_of(panel, k, tenths);

			most = isnan(point.mean) ? most : fmax(most, point.most);
		}
	step = pow(10, floor(log10(fmax(1, most / TICKS))));
	for (double next = 2; TICKS * step < most; next = next > 2 ? 2 : 2.5)
		step *= next;
	return TICKS * step;
}

static double x_of(const struct panel *panel, double executions)
{
	return PLOT_LEFT + PLOT_WIDTH * executions / panel->most;
}

static double y_of(double tenths)
{
	return PLOT_TOP + PLOT_HEIGHT * (1 - tenths / PARTS);
}

static void draw_axes(struct text *out, const struct panel *panel)
{
	for (int i = 0; i <= TICKS; i++) {
		double tenths = (double)PARTS * i / TICKS, executions = panel->most * i / TICKS;

		svg_line(out, PLOT_LEFT, y_of(tenths), PLOT_LEFT + PLOT_WIDTH, y_of(tenths),
			 i ? "grid" : "axis");
		svg_text(out, PLOT_LEFT - 6, y_of(tenths) + 4, SVG_END, "small",
			 arena_printf(panel->arena, "%.0f %%", 100.0 * i / TICKS));
		svg_line(out, x_of(panel, executions), y_of(0), x_of(panel, executions),
			 y_of(0) + 4, "axis");
		svg_text(out, x_of(panel, executions), y_of(0) + 17, SVG_MIDDLE, "small",
			 arena_printf(panel->arena, "%g", executions));
	}
	svg_text(out, PLOT_LEFT + PLOT_WIDTH / 2, y_of(0) + 34, SVG_MIDDLE, "small dim",
		 "executions of the phase until that part of the known findings was found");
}

static void draw_curve(struct text *out, const struct panel *panel, size_t strategy)
{
	const char *line = arena_printf(panel->arena, "series series%zu", strategy % COLOURS);
	const char *dot = arena_printf(panel->arena, "node%zu", strategy % COLOURS);
	double shift = DODGE * ((double)strategy - (double)(panel->runs[0]->nr - 1) / 2);
	struct svg_point curve[PARTS];

	for (int tenths = 1; line && dot && tenths <= PARTS; tenths++) {
		struct point point = point_of(panel, strategy, tenths);
		double y = y_of(tenths) + shift, x = x_of(panel, point.mean);

		curve[tenths - 1] = (struct svg_point){ x, y };
		if (isnan(point.mean))
			continue;
		svg_line(out, x_of(panel, point.least), y, x_of(panel, point.most), y, line);
		svg_circle(out, x, y, 2.5, dot,
			   arena_printf(panel->arena, "%s: %d %% after %.3g executions (%.0f-%.0f)",
					panel->runs[0]->searches[strategy].strategy,
					100 * tenths / PARTS, point.mean, point.least, point.most));
	}
	svg_curve(out, curve, PARTS, line);
}

/* Its name, and the part that it found in every run at least. */
static void draw_key(struct text *out, const struct panel *panel, size_t strategy)
{
	double y = PLOT_TOP + 8 + LEGEND_LINE * (double)strategy, least = INFINITY;

	for (size_t i = 0; i < panel->nr; i++)
		if (panel->runs[i]->known)
			least = fmin(least, (double)panel->runs[i]->searches[strategy].profile.nr /
						    (double)panel->runs[i]->known);
	svg_line(out, LEGEND_LEFT, y, LEGEND_LEFT + 20, y,
		 arena_printf(panel->arena, "series series%zu", strategy % COLOURS));
	svg_circle(out, LEGEND_LEFT + 10, y, 2.5,
		   arena_printf(panel->arena, "node%zu", strategy % COLOURS), NULL);
	svg_text(out, LEGEND_LEFT + 27, y + 4, SVG_START, "small",
		 arena_printf(panel->arena, "%s, %.0f %%",
			      panel->runs[0]->searches[strategy].strategy, 100 * least));
}

static void draw_panel(struct text *out, struct panel *panel)
{
	const struct compared_run *first = panel->runs[0];
	size_t known = 0;

	for (size_t i = 0; i < panel->nr; i++)
		known += panel->runs[i]->known;
	svg_text(out, 20, 20, SVG_START, "head",
		 arena_printf(panel->arena, "%s: %zu record%s, %.3g finding%s known",
			      report_program(first->run, true), panel->nr,
			      panel->nr == 1 ? "" : "s", (double)known / (double)panel->nr,
			      known == panel->nr ? "" : "s"));
	if (!known)
		return;
	panel->most = axis_end(panel);
	draw_axes(out, panel);
	for (size_t k = 0; k < first->nr; k++) {
		draw_curve(out, panel, k);
		draw_key(out, panel, k);
	}
}

static bool is_same_program(const struct compared_run *a, const struct compared_run *b)
{
	return !strcmp(report_program(a->run, true), report_program(b->run, true));
}

/* The runs of the program of runs[first]; none where an earlier one is of it. */
static struct panel panel_of(struct arena *arena, const struct compared_run *runs, size_t nr,
			     size_t first)
{
	struct panel panel = { .arena = arena,
			       .runs = arena_alloc(arena, nr * sizeof(*panel.runs)) };

	for (size_t i = 0; panel.runs && i < nr; i++)
		if (is_same_program(&runs[i], &runs[first])) {
			if (i < first)
				return panel;
			panel.runs[panel.nr++] = &runs[i];
		}
	return panel;
}

void search_picture(struct text *out, const struct compared_run *runs, size_t nr)
{
	size_t panels = 0;
	double y = 0;

	for (size_t i = 0; i < nr; i++)
		panels += panel_of(out->arena, runs, nr, i).nr > 0;
	svg_begin(out, WIDTH, PANEL_HEIGHT * (double)panels, "search profiles");
	for (size_t i = 0; i < nr; i++) {
		struct panel panel = panel_of(out->arena, runs, nr, i);

		if (!panel.nr)
			continue;
		svg_open(out, 0, y);
		draw_panel(out, &panel);
		svg_close(out);
		y += PANEL_HEIGHT;
	}
	svg_end(out);
}
