/* SPDX-License-Identifier: Apache-2.0 */
/* The search history graph as text, DOT, JSON and picture. */
#include "analysis/report/history_graph.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/rank.h"
#include "analysis/report/foci.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "memsearch/host.h"
#include "memsearch/request.h"

#define DEPTH_MOST 20 /* deeper rows are indented like this one */

/* ------------------------------------------------------------------- order */

struct links {
	uint32_t child, sibling; /* MS_NODE_NONE: none */
};

/*
 * First child and next sibling of every node; the first root is links[nr].child. A parent has a
 * smaller id (record/check.c).
 */
static struct links *link_nodes(struct arena *arena, const struct run *run, const bool *wanted)
{
	struct links *links = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*links));

	for (size_t i = 0; links && i <= run->nr_nodes; i++)
		links[i] = (struct links){ MS_NODE_NONE, MS_NODE_NONE };
	for (size_t i = run->nr_nodes; links && i-- > 0;) {
		uint32_t parent = run->nodes[i].parent;
		struct links *up = &links[parent < i ? parent : run->nr_nodes];

		if (!wanted[i])
			continue;
		links[i].sibling = up->child;
		up->child = (uint32_t)i;
	}
	return links;
}

static bool has_verdict(const struct run_node *node)
{
	return node->state == MS_NODE_TRUE || node->state == MS_NODE_FALSE ||
	       node->state == MS_NODE_DISCONTINUED || node->state == MS_NODE_MISSED;
}

static bool *wanted_nodes(struct arena *arena, const struct run *run, bool verdicts_only)
{
	bool *wanted = arena_alloc(arena, run->nr_nodes + 1);

	for (size_t i = run->nr_nodes; wanted && i-- > 0;) {
		const struct run_node *node = &run->nodes[i];

		wanted[i] |= !verdicts_only || has_verdict(node);
		if (wanted[i] && node->parent < i)
			wanted[node->parent] = true;
	}
	return wanted;
}

bool history_graph_make(struct arena *arena, const struct run *run, bool verdicts_only,
			struct history_graph *out)
{
	const bool *wanted = wanted_nodes(arena, run, verdicts_only);
	const struct links *links = wanted ? link_nodes(arena, run, wanted) : NULL;
	/* rows of the ancestors, by depth */
	size_t *parents = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*parents));
	uint32_t at = links ? links[run->nr_nodes].child : MS_NODE_NONE;
	int depth = 0;

	*out = (struct history_graph){
		.run = run, .rows = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*out->rows))
	};
	if (!links || !parents || !out->rows)
		return false;
	while (at != MS_NODE_NONE) {
		out->rows[out->nr] = (struct graph_row){ &run->nodes[at], depth,
							 depth ? parents[depth - 1] : 0 };
		parents[depth] = out->nr++;
		if (links[at].child != MS_NODE_NONE) {
			at = links[at].child;
			depth++;
			continue;
		}
		for (; links[at].sibling == MS_NODE_NONE && depth > 0; depth--)
			at = run->nodes[at].parent;
		at = links[at].sibling;
	}
	return true;
}

/* -------------------------------------------------------------------- text */

const char *history_graph_verdict(const struct run_node *node)
{
	static const char *const words[MS_NODE_STATES] = {
		"pending", "active", "yes", "no", "unknown", "discontinued", "missed",
	};

	return node->state < MS_NODE_STATES ? words[node->state] : "?";
}

/* Property and focus; the focus in words without `foci`. */
static void add_candidate(struct text *out, const struct run *run, const struct run_node *node,
			  const struct foci *foci)
{
	text_printf(out, "%s, ", finding_title(out->arena, node));
	if (foci)
		foci_add(out, foci, node->region, node->thread);
	else
		text_add_plain(out, finding_place(out->arena, run, node->region));
	if (!foci && node->thread != MS_REQUEST_ALL_THREADS)
		text_printf(out, ", thread %" PRIu32, node->thread);
	text_add_plain(out, finding_during(out->arena, run, node));
}

static double evidence_of(const struct run_node *node, const char *name)
{
	for (size_t i = 0; i < node->nr_evidence; i++)
		if (node->evidence[i].name && !strcmp(node->evidence[i].name, name) &&
		    node->evidence[i].reading.missing == MS_PRESENT)
			return node->evidence[i].reading.value;
	return NAN;
}

/* "8.00 M accesses, 41 % of the construct's samples": a loop or function has no time. */
static void add_counts(struct text *out, const struct run *run, const struct run_node *node)
{
	double accesses = evidence_of(node, "values"),
	       samples = finding_sample_share(run, node->region);

	if (!isnan(accesses)) {
		units_count(out, accesses);
		text_printf(out, " accesses%s", isnan(samples) ? "" : ", ");
	}
	if (!isnan(samples)) {
		units_share(out, samples);
		text_add(out, " of the construct's samples");
	}
}

/* "62 % of the time, 4.1 % in its own code": of a loop or function with a time. */
static bool add_own_time(struct text *out, const struct run_node *node)
{
	double share = evidence_of(node, "share"), own = evidence_of(node, "own");

	if (isnan(share) || isnan(own) ||
	    (node->state != MS_NODE_TRUE && node->state != MS_NODE_FALSE))
		return false;
	units_share(out, share);
	text_add(out, " of the time, ");
	units_share(out, own);
	text_add(out, " in its own code");
	return true;
}

/* How large it is, or why that is not known. */
static void add_value(struct text *out, const struct run *run, const struct run_node *node)
{
	enum report_standing standing = node->state == MS_NODE_TRUE ? report_standing(run, node)
								    : REPORT_FINDING;
	double share = standing == REPORT_STEP ? finding_time_share(run, node->region) : NAN;

	if (add_own_time(out, node))
		return;
	if (standing == REPORT_STEP && !isnan(share)) {
		units_share(out, share);
		text_add(out, " of the time");
	} else if (standing == REPORT_STEP) {
		add_counts(out, run, node);
	} else if (standing == REPORT_CANDIDATE) {
		text_add(out, "0 to ");
		units_share(out, node->severity_high);
	} else if (node->state == MS_NODE_TRUE || node->state == MS_NODE_FALSE) {
		units_share(out, node->severity);
		text_add_plain(out, node->interval ? " of its time" : "");
	} else if (node->state == MS_NODE_UNKNOWN || node->state == MS_NODE_MISSED) {
		text_add_plain(out, ms_missing_text(node->missing));
	}
}

const char *history_graph_value(struct arena *arena, const struct run *run,
				const struct run_node *node)
{
	struct text text;

	text_init(&text, arena);
	add_value(&text, run, node);
	return text.bytes ? text.bytes : "";
}

/* ": 39 % of the time" */
static void add_size(struct text *out, const struct run *run, const struct run_node *node)
{
	const char *value = history_graph_value(out->arena, run, node);

	if (*value)
		text_printf(out, ": %s", value);
}

/* When the verdict was reached, after `between`; nothing: there is none, or its time is not known. */
static void add_time(struct text *out, const char *between, const struct run *run,
		     const struct run_node *node)
{
	const char *reached = has_verdict(node) ? finding_reached(out->arena, run, node) : NULL;

	if (reached)
		text_printf(out, "%s%s", between, reached);
}

static void add_line(struct text *out, const struct run *run, const struct run_node *node,
		     const struct foci *foci, int indent, int width)
{
	struct text line;

	text_init(&line, out->arena);
	add_candidate(&line, run, node, foci);
	add_size(&line, run, node);
	add_time(&line, "; ", run, node);
	text_printf(out, "%*s%-8s ", indent, "", history_graph_verdict(node));
	text_wrap(out, line.bytes ? line.bytes : "", indent + 9, width);
	text_add(out, "\n");
}

void history_graph_line(struct text *out, const struct run *run, const struct run_node *node,
			int indent, int width)
{
	add_line(out, run, node, NULL, indent, width);
}

void history_graph_text(struct text *out, const struct history_graph *graph, int width)
{
	for (size_t i = 0; i < graph->nr; i++) {
		int depth = graph->rows[i].depth;

		add_line(out, graph->run, graph->rows[i].node, graph->foci,
			 2 + 2 * (depth < DEPTH_MOST ? depth : DEPTH_MOST), width);
	}
}

/* --------------------------------------------------------------------- DOT */

/* A part of a quoted string, in which DOT knows \" and \\ (and breaks lines at \n). */
static void dot_escape(struct text *out, const char *string)
{
	struct text escaped;

	text_init(&escaped, out->arena);
	for (; *string; string++) {
		if (*string == '"' || *string == '\\')
			text_add(&escaped, "\\");
		text_add_bytes(&escaped, string, 1);
	}
	text_add_plain(out, escaped.bytes ? escaped.bytes : "");
}

static void dot_focus(struct text *out, const struct history_graph *graph,
		      const struct run_node *node)
{
	struct text focus;

	if (!graph->foci) {
		dot_escape(out, finding_place(out->arena, graph->run, node->region));
		if (node->thread != MS_REQUEST_ALL_THREADS)
			text_printf(out, ", thread %" PRIu32, node->thread);
		return;
	}
	text_init(&focus, out->arena);
	foci_add(&focus, graph->foci, node->region, node->thread);
	dot_escape(out, focus.bytes ? focus.bytes : "");
}

static void dot_node(struct text *out, const struct history_graph *graph, size_t row)
{
	const struct run_node *node = graph->rows[row].node;
	static const char *const styles[MS_NODE_STATES] = {
		[MS_NODE_TRUE] = ", style=filled, fillcolor=\"#f1a340\"",
		[MS_NODE_FALSE] = ", style=filled, fillcolor=\"#d1e5f0\"",
		[MS_NODE_UNKNOWN] = ", style=dashed",
	};
	const char *style = node->state < MS_NODE_STATES && styles[node->state]
				    ? styles[node->state]
				    : "";
	struct text size;

	text_init(&size, out->arena);
	add_size(&size, graph->run, node);
	text_printf(out, "\tn%" PRIu32 " [label=\"", node->id);
	dot_escape(out, finding_title(out->arena, node));
	text_add(out, "\\n");
	dot_focus(out, graph, node);
	dot_escape(out, finding_during(out->arena, graph->run, node));
	text_printf(out, "\\n%s", history_graph_verdict(node));
	dot_escape(out, size.bytes ? size.bytes : "");
	add_time(out, "\\n", graph->run, node);
	text_printf(out, "\"%s];\n", style);
}

void history_graph_dot(struct text *out, const struct history_graph *graph)
{
	text_add(
		out,
		"digraph search {\n\tnode [shape=box, fontname=\"sans-serif\", fontsize=10];\n\trankdir=LR;\n");
	for (size_t i = 0; i < graph->nr; i++)
		dot_node(out, graph, i);
	for (size_t i = 0; i < graph->nr; i++)
		if (graph->rows[i].depth)
			text_printf(out, "\tn%" PRIu32 " -> n%" PRIu32 ";\n",
				    graph->rows[graph->rows[i].parent].node->id,
				    graph->rows[i].node->id);
	text_add(out, "}\n");
}

/* -------------------------------------------------------------------- JSON */

static void json_focus(struct json *json, const struct foci *foci, const struct run_node *node)
{
	struct focus focus = foci_at(json->out->arena, foci, node->region, node->thread);

	json_open(json, "focus", '{');
	json_string(json, "code", focus.code);
	json_string(json, "machine", focus.machine);
	json_string(json, "data", focus.data);
	json_string(json, "sync", focus.sync);
	json_close(json);
}

static void put_time(struct json *json, const struct run_node *node)
{
	if (has_verdict(node) && (node->reached_executions || node->reached_ns > 0))
		json_unsigned(json, "reached_executions", node->reached_executions);
	else
		json_null(json, "reached_executions");
	json_number(json, "reached_ns",
		    has_verdict(node) && node->reached_ns > 0 ? node->reached_ns : NAN);
}

static void json_node(struct json *json, const struct history_graph *graph,
		      const struct graph_row *row)
{
	const struct run_node *node = row->node;

	json_open(json, NULL, '{');
	json_unsigned(json, "id", node->id);
	if (row->depth)
		json_unsigned(json, "parent", graph->rows[row->parent].node->id);
	else
		json_null(json, "parent");
	json_string(json, "property", node->property);
	json_string(json, "title", finding_title(json->out->arena, node));
	json_unsigned(json, "region", node->region);
	json_string(json, "place", finding_place(json->out->arena, graph->run, node->region));
	if (node->thread != MS_REQUEST_ALL_THREADS)
		json_unsigned(json, "thread", node->thread);
	else
		json_null(json, "thread");
	if (graph->foci)
		json_focus(json, graph->foci, node);
	if (node->interval)
		json_unsigned(json, "interval", node->interval);
	else
		json_null(json, "interval");
	json_string(json, "verdict", history_graph_verdict(node));
	json_unsigned(json, "experiments", node->experiments);
	put_time(json, node);
	if (node->state == MS_NODE_TRUE || node->state == MS_NODE_FALSE) {
		json_number(json, "severity", node->severity);
		json_number(json, "confidence", node->confidence);
	} else if (node->state == MS_NODE_UNKNOWN || node->state == MS_NODE_MISSED) {
		json_string(json, "why", ms_missing_text(node->missing));
		json_string(json, "missing_metric", node->missing_metric);
	}
	json_close(json);
}

void history_graph_json(struct text *out, const struct history_graph *graph)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "memsearch-graph-1");
	json_string(&json, "strategy", graph->run->strategy);
	json_open(&json, "nodes", '[');
	for (size_t i = 0; i < graph->nr; i++)
		json_node(&json, graph, &graph->rows[i]);
	json_close(&json);
	json_close(&json);
}

/* ----------------------------------------------------------------- picture */

#define ROW_HEIGHT 20.0 /* px */
#define STEP 22.0       /* indentation of one level */
#define WIDTH 920.0
#define HEAD 56.0
#define ROWS_MOST 400u

static const char *class_of(const struct run_node *node)
{
	return node->state == MS_NODE_TRUE    ? "more2"
	       : node->state == MS_NODE_FALSE ? "less1"
					      : "unknown";
}

static double row_x(const struct graph_row *row)
{
	return 20 + STEP * (row->depth < DEPTH_MOST ? row->depth : DEPTH_MOST);
}

static double row_y(size_t row)
{
	return HEAD + ROW_HEIGHT * (double)row;
}

static void draw_row(struct text *out, const struct history_graph *graph, size_t i)
{
	const struct graph_row *row = &graph->rows[i];
	double x = row_x(row), y = row_y(i);
	struct text words, verdict;

	if (row->depth) {
		double from = row_x(&graph->rows[row->parent]);

		svg_line(out, from, row_y(row->parent) + 6, from, y, "axis");
		svg_line(out, from, y, x - 6, y, "axis");
	}
	text_init(&words, out->arena);
	add_candidate(&words, graph->run, row->node, NULL);
	add_size(&words, graph->run, row->node);
	text_init(&verdict, out->arena);
	text_add_plain(&verdict, history_graph_verdict(row->node));
	add_time(&verdict, "; ", graph->run, row->node);
	svg_circle(out, x, y, 6, class_of(row->node), verdict.bytes);
	svg_name(out, x + 12, y + 4, WIDTH - x - 24, "name small", words.bytes ? words.bytes : "");
}

static void draw_legend(struct text *out)
{
	static const struct {
		const char *class, *words;
		double x;
	} keys[] = {
		{ "more2", "yes", 20 },
		{ "less1", "no", 90 },
		{ "unknown", "unknown, discontinued or not asked", 160 },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		svg_circle(out, keys[i].x, 36, 6, keys[i].class, NULL);
		svg_text(out, keys[i].x + 12, 40, SVG_START, "small", keys[i].words);
	}
}

void history_graph_svg(struct text *out, const struct history_graph *graph)
{
	size_t shown = graph->nr < ROWS_MOST ? graph->nr : ROWS_MOST;

	svg_begin(out, WIDTH, row_y(shown) + (shown < graph->nr ? ROW_HEIGHT : 0),
		  "search history graph");
	svg_text(out, 20, 20, SVG_START, "head",
		 "Search history: each verdict and the questions it led to");
	draw_legend(out);
	for (size_t i = 0; i < shown; i++)
		draw_row(out, graph, i);
	if (shown < graph->nr) {
		struct text words;

		text_init(&words, out->arena);
		text_printf(&words, "%zu more nodes are not drawn", graph->nr - shown);
		svg_text(out, 20, row_y(shown) + 4, SVG_START, "small dim",
			 words.bytes ? words.bytes : "");
	}
	svg_end(out);
}
