/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_H
#define MEMSEARCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/record/run.h"

/*
 * A run as text: the answer first, then what was not measured. One writer per
 * format, all over the same `struct run`; they write into an arena and never to
 * a file, so the tool can use them inside the user's program.
 *
 * To add a format: 1. report/FORMAT.c; 2. its row in report.c.
 */
struct arena;

struct report_options {
	size_t size;                 /* sizeof(struct report_options) */
	int width;                   /* columns of text, 100 */
	bool colour;
	bool brief;                  /* MEMSEARCH_BRIEF: leave out times, ids, paths, host (for golden tests) */
	bool verbose;                /* text: every finding with its evidence, instead of causes in 25 lines */
	bool all;                    /* also parents explained by their refinements, and candidates */
	size_t most;                 /* findings shown in text; 0: all */
	bool tree;                   /* the search history graph below the list */
	bool severity_rate;          /* plain rate instead of time share, where a property has one */
};
void report_options_init(struct report_options *options);

struct text;                         /* a growing string, report/text.h */

/* "text", "json", "csv"; NULL for an unknown name. */
typedef void report_writer(struct text *out, const struct run *const *runs, size_t nr_runs, const struct report_options *options);
report_writer *report_format(const char *name);

/* What a proven node is to the reader. */
enum report_standing {
	REPORT_FINDING,
	REPORT_CANDIDATE,            /* it is so, but what it costs lies between nothing and the upper bound of its severity */
	REPORT_MODELLED,             /* a finding about another machine than the one that it ran on (--machine) */
	REPORT_STEP,                 /* severity 0: only led the search to others */
};
enum report_standing report_standing(const struct run *run, const struct run_node *node);

/*
 * Nodes of that standing in print order: proven nodes by lower bound of severity (candidates by the upper one), parents folded
 * into the chain of the child that explains them unless `all`. Returns indices into run->nodes, in the arena.
 */
size_t report_rank(struct arena *arena, const struct run *run, enum report_standing standing, bool all, const uint32_t **out);

#endif
