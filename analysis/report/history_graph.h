/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_HISTORY_GRAPH_H
#define MEMSEARCH_REPORT_HISTORY_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * The search history graph of a run (Hollingsworth and Miller, ICS 1993; Roth and Miller, EuroPar
 * 2002): a node for each candidate, a property in a region or of one thread in it; an edge to each
 * candidate that a verdict led to. A node has one parent: the first verdict that led to it. The
 * nodes stand in depth-first order.
 */
struct arena;
struct foci;
struct text;

struct graph_row {
	const struct run_node *node;
	int depth;     /* 0: a root */
	size_t parent; /* row; not defined for a root */
};
struct history_graph {
	const struct run *run;
	size_t nr;
	struct graph_row *rows;
	/* of the foci: in JSON, and in text and DOT in place of words; NULL: none */
	const struct foci *foci;
};

/*
 * `verdicts_only`: without nodes that have neither a verdict nor a descendant with one. False: no
 * memory.
 */
bool history_graph_make(struct arena *arena, const struct run *run, bool verdicts_only,
			struct history_graph *out);

/* "pending", "active", "yes", "no", "unknown", "discontinued". */
const char *history_graph_verdict(const struct run_node *node);
/* "39 % of the time", "0 to 4 %", why it is unknown; "": of these verdicts there is no value. */
const char *history_graph_value(struct arena *arena, const struct run *run,
				const struct run_node *node);
/* A line for one node: verdict, property, region, thread; severity, or why it is unknown. */
void history_graph_line(struct text *out, const struct run *run, const struct run_node *node,
			int indent, int width);

void history_graph_text(struct text *out, const struct history_graph *graph, int width);
/* Graphviz DOT (https://graphviz.org/doc/info/lang.html). */
void history_graph_dot(struct text *out, const struct history_graph *graph);
/* Schema memsearch-graph-1; without `foci` no foci. */
void history_graph_json(struct text *out, const struct history_graph *graph);
/*
 * A picture: a row for each node, indented by depth. At most 400 rows; the last one states how many
 * are left out.
 */
void history_graph_svg(struct text *out, const struct history_graph *graph);

#endif
