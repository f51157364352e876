/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/numa/picture.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/numa/page_map.h"
#include "analysis/numa/print.h"
#include "analysis/numa/picture_writes.h"
#include "analysis/numa/ranking.h"
#include "analysis/numa/strip.h"
#include "analysis/report/array_names.h"
#include "analysis/report/arrays.h"
#include "analysis/report/finding.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "analysis/simulation/page_use.h"

#define TOP 78.0 /* of the panels; above: the heading */
#define MATRIX_AT 396.0
#define PANEL 356.0   /* width of one alone */
#define FEW 4         /* nodes that have room in smaller panels … */
#define FEW_CELLS 152 /* … of this width and height, without their titles */
#define CELLS 272
#define NODE 20.0       /* radius of a node */
#define LEAST 0.01      /* of all remote lines: of an array that is shown, but the first */
#define WRITTEN_NODES 8 /* with more, cells have tips alone */
#define ARRAY 76.0      /* height of an array's part */

struct picture {
	struct text *out;
	const struct numa_ranking *ranking;
	const struct numa_options *options;
	uint32_t nodes;
	double cells;    /* width and height of the panels */
	uint64_t *lines; /* as numa_array.matrix, of all arrays */
	uint64_t all, most_remote;
};

static const char *count_of(const struct picture *picture, uint64_t count)
{
	struct text text;

	text_init(&text, picture->out->arena);
	units_count(&text, (double)count);
	return text.bytes ? text.bytes : "";
}

static const char *share_of(const struct picture *picture, uint64_t part, uint64_t all)
{
	struct text text;

	text_init(&text, picture->out->arena);
	units_share(&text, all ? (double)part / (double)all : NAN);
	return text.bytes ? text.bytes : "";
}

/* They are sorted. */
static size_t shown_arrays(const struct picture *picture)
{
	const struct numa_ranking *ranking = picture->ranking;
	size_t most = picture->options->most, nr = 0;

	while (nr < ranking->nr && (!most || nr < most) &&
	       (!nr || (double)ranking->arrays[nr].remote > LEAST * (double)ranking->remote))
		nr++;
	return nr;
}

static bool sum_up(struct picture *picture)
{
	size_t cells = (size_t)picture->nodes * picture->nodes;

	picture->lines = arena_alloc(picture->out->arena, (cells + 1) * sizeof(*picture->lines));
	for (size_t i = 0; picture->lines && i < picture->ranking->nr; i++)
		for (size_t cell = 0; cell < cells; cell++)
			picture->lines[cell] += picture->ranking->arrays[i].matrix[cell];
	for (size_t cell = 0; picture->lines && cell < cells; cell++) {
		picture->all += picture->lines[cell];
		if (cell / picture->nodes != cell % picture->nodes &&
		    picture->lines[cell] > picture->most_remote)
			picture->most_remote = picture->lines[cell];
	}
	return picture->lines;
}

static uint64_t lines_of(const struct picture *picture, uint32_t user, uint32_t home)
{
	return picture->lines[(size_t)user * picture->nodes + home];
}

/* Of a part of the largest one: 1 to 3. */
static int third(uint64_t part, uint64_t largest)
{
	double share = largest ? (double)part / (double)largest : 0;

	return share > 2.0 / 3 ? 3 : share > 1.0 / 3 ? 2 : 1;
}

static const char *node_words(const struct picture *picture, uint32_t node)
{
	return node == NUMA_NOBODY    ? "no node"
	       : node == NUMA_SEVERAL ? "several nodes"
	       : node == NUMA_UNKNOWN ? "an unknown node"
				      : arena_printf(picture->out->arena, "node %" PRIu32, node);
}

/* ------------------------------------------------------------------ links */

static struct svg_point node_at(const struct picture *picture, uint32_t node)
{
	double angle = 2 * M_PI * node / picture->nodes - M_PI, ring = picture->cells / 2 - NODE;

	return (struct svg_point){ NUMA_MARGIN + CELLS / 2 + ring * cos(angle),
				   TOP + 24 + picture->cells / 2 + ring * sin(angle) };
}

static void put_links(const struct picture *picture)
{
	static const char *const widths[] = { "", "link1", "link2", "link3" };
	uint64_t most = 0;

	for (uint32_t i = 0; i < picture->nodes; i++)
		for (uint32_t j = 0; j < i; j++)
			most = (uint64_t)fmax((double)most, (double)(lines_of(picture, i, j) +
								     lines_of(picture, j, i)));
	for (uint32_t i = 0; i < picture->nodes; i++) {
		for (uint32_t j = 0; j < i; j++) {
			uint64_t lines = lines_of(picture, i, j) + lines_of(picture, j, i);
			struct svg_point a = node_at(picture, i), b = node_at(picture, j);

			if (!lines)
				continue;
			svg_line(picture->out, a.x, a.y, b.x, b.y, widths[third(lines, most)]);
			if (picture->nodes <= 2)
				svg_text(picture->out, (a.x + b.x) / 2, (a.y + b.y) / 2 - 12,
					 SVG_MIDDLE, "small",
					 arena_printf(picture->out->arena, "%s lines",
						      count_of(picture, lines)));
		}
	}
}

static void put_nodes(const struct picture *picture)
{
	svg_text(picture->out, NUMA_MARGIN, TOP, SVG_START, "dim",
		 "Links: lines to and from other nodes' memory");
	put_links(picture);
	for (uint32_t i = 0; i < picture->nodes; i++) {
		struct svg_point at = node_at(picture, i);
		const char *tip = arena_printf(picture->out->arena,
					       "node %" PRIu32 ": %s lines of its own memory", i,
					       count_of(picture, lines_of(picture, i, i)));

		svg_circle(picture->out, at.x, at.y, NODE, numa_class(picture->out, i), tip);
		svg_text(picture->out, at.x, at.y + 4, SVG_MIDDLE, "on",
			 arena_printf(picture->out->arena, "%" PRIu32, i));
	}
}

/* ------------------------------------------------------------------ matrix */

static void put_cell(const struct picture *picture, uint32_t user, uint32_t home, double cell)
{
	static const char *const remote[] = { "same", "more1", "more2", "more3" };
	static const char *const local[] = { "same", "less1", "less2", "less3" };
	static const char *const on[] = { "small", "small", "small", "small on3" };
	uint64_t lines = lines_of(picture, user, home);
	int level = lines ? third(lines, picture->all) : 0;
	double x = MATRIX_AT + 40 + home * cell, y = TOP + 24 + user * cell;

	level = lines && user != home ? third(lines, picture->most_remote) : level;
	svg_rect(picture->out, x, y, cell - 1, cell - 1, (user == home ? local : remote)[level],
		 arena_printf(picture->out->arena,
			      "threads of node %" PRIu32 ", memory of node %" PRIu32
			      ": %s lines, %s",
			      user, home, count_of(picture, lines),
			      share_of(picture, lines, picture->all)));
	if (picture->nodes <= WRITTEN_NODES && 200 * lines >= picture->all)
		svg_text(picture->out, x + cell / 2, y + cell / 2 + 4, SVG_MIDDLE, on[level],
			 arena_printf(picture->out->arena, "%.0f %%",
				      100 * (double)lines / (double)picture->all));
}

static void put_matrix(const struct picture *picture)
{
	double cell = picture->cells / picture->nodes;

	svg_text(picture->out, MATRIX_AT, TOP, SVG_START, "dim",
		 "Lines to a node's threads (row) from a node's memory");
	for (uint32_t i = 0; i < picture->nodes; i++) {
		const char *number = arena_printf(picture->out->arena, "%" PRIu32, i);

		svg_text(picture->out, MATRIX_AT + 40 + (i + 0.5) * cell, TOP + 18, SVG_MIDDLE,
			 "small dim", number);
		svg_text(picture->out, MATRIX_AT + 32, TOP + 28 + (i + 0.5) * cell, SVG_END,
			 "small dim", number);
		for (uint32_t j = 0; j < picture->nodes; j++)
			put_cell(picture, i, j, cell);
	}
}

/* ------------------------------------------------------------------ arrays */

static const char *site_words(const struct picture *picture, const struct numa_array *of,
			      uint32_t site)
{
	const struct arrays_view *view = picture->ranking->view;
	uint32_t array = run_array_declared(picture->ranking->run->arrays, of->array);
	const struct touch_group *group;
	const char *line;

	if (site >= NUMA_UNKNOWN)
		return site == NUMA_SEVERAL ? "several lines" : "an unknown line";
	group = &view->groups[view->first[array] + site];
	line = group->before ? NULL : arrays_line(picture->out->arena, group);
	return arena_printf(picture->out->arena, "%s by %s",
			    group->before ? "before memsearch came"
			    : line        ? line
					  : "",
			    arrays_who(picture->out->arena, group, 0));
}

struct strips {
	const struct picture *picture;
	const struct numa_array *of;
};

static const char *tip(const void *ctx, struct text *out, uint32_t value, enum numa_row row,
		       double pages)
{
	const struct strips *strips = ctx;

	if (row == NUMA_ROW_SITES)
		return arena_printf(out->arena, "first touched at %s: %.0f pages",
				    site_words(strips->picture, strips->of, value), pages);
	return arena_printf(out->arena, "%s %s: %.0f pages",
			    row == NUMA_ROW_HOMES ? "on" : "used by",
			    node_words(strips->picture, value), pages);
}

static void put_array(const struct picture *picture, const struct numa_array *of, double y)
{
	static const struct {
		enum numa_row row;
		const char *label;
	} rows[] = { { NUMA_ROW_SITES, "touched at" },
		     { NUMA_ROW_HOMES, "pages on" },
		     { NUMA_ROW_USERS, "used by" } };
	const struct numa_ranking *ranking = picture->ranking;
	const struct strips strips = { picture, of };
	struct numa_map map;

	svg_name(picture->out, NUMA_MARGIN, y + 12, NUMA_NAMED - 70, "name",
		 arrays_name(picture->out->arena, ranking->run, &ranking->run->arrays[of->array]));
	svg_text(picture->out, NUMA_MARGIN, y + 28, SVG_START, "small dim",
		 arena_printf(picture->out->arena, "%s of %s remote",
			      share_of(picture, of->remote, of->lines),
			      count_of(picture, of->lines)));
	numa_map(ranking, of, &map);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		numa_strip(picture->out, y + (double)i * (NUMA_STRIP + NUMA_GAP), rows[i].label,
			   &map, rows[i].row, tip, &strips);
}

/* ------------------------------------------------------------------ all */

static void put_heading(const struct picture *picture)
{
	const struct run *run = picture->ranking->run;

	svg_name(picture->out, NUMA_MARGIN, 24, NUMA_WIDTH - 2 * NUMA_MARGIN, "name head",
		 report_program(run, picture->options->brief));
	svg_text(picture->out, NUMA_MARGIN, 42, SVG_START, "dim",
		 arena_printf(picture->out->arena,
			      "%" PRIu32 " threads on the simulated machine %s, %" PRIu32
			      " NUMA nodes",
			      run->threads, run->modelled.name, picture->nodes));
	svg_text(picture->out, NUMA_MARGIN, 58, SVG_START, "dim",
		 arena_printf(picture->out->arena,
			      "%s of the %s lines from memory come from another node",
			      share_of(picture, picture->ranking->remote, picture->ranking->lines),
			      count_of(picture, picture->ranking->lines)));
}

static void set_nodes(struct picture *picture, uint32_t nodes)
{
	picture->nodes = nodes;
	picture->cells = nodes > FEW ? CELLS : FEW_CELLS;
}

void numa_svg(struct text *out, const struct numa_ranking *ranking,
	      const struct numa_options *options)
{
	struct picture picture = { .out = out, .ranking = ranking, .options = options };
	const char *why = numa_why_none(out, ranking);
	size_t nr = shown_arrays(&picture);
	double y, end;

	if (!why && (!ranking->lines || !ranking->nr))
		why = "no line comes from memory in the execution that was simulated";
	set_nodes(&picture, why ? 0 : ranking->uses->nodes);
	y = TOP + picture.cells + 48;
	end = why ? TOP : y + (double)nr * ARRAY;
	svg_begin(out, NUMA_WIDTH, end + numa_writes_height(ranking->writes, options),
		  "Pages of arrays and the NUMA nodes that use them");
	if (why) {
		svg_name(out, NUMA_MARGIN, 36, NUMA_WIDTH - 2 * NUMA_MARGIN, "name", why);
	} else if (sum_up(&picture)) {
		put_heading(&picture);
		put_nodes(&picture);
		put_matrix(&picture);
		for (size_t i = 0; i < nr; i++, y += ARRAY)
			put_array(&picture, &ranking->arrays[i], y);
	}
	numa_writes_put(out, ranking->writes, options, end);
	svg_end(out);
}

static void put_panel(struct text *out, const struct numa_ranking *ranking,
		      const struct numa_options *options, double x, const char *title,
		      void (*put)(const struct picture *picture))
{
	struct picture picture = { .out = out, .ranking = ranking, .options = options };

	set_nodes(&picture, ranking->uses->nodes);
	svg_begin(out, PANEL, picture.cells + 48, title);
	svg_open(out, NUMA_MARGIN - x, 20 - TOP);
	if (sum_up(&picture))
		put(&picture);
	svg_close(out);
	svg_end(out);
}

void numa_svg_links(struct text *out, const struct numa_ranking *ranking,
		    const struct numa_options *options)
{
	put_panel(out, ranking, options, NUMA_MARGIN, "Lines to and from other nodes' memory",
		  put_nodes);
}

void numa_svg_matrix(struct text *out, const struct numa_ranking *ranking,
		     const struct numa_options *options)
{
	put_panel(out, ranking, options, MATRIX_AT,
		  "Lines to a node's threads from a node's memory", put_matrix);
}
