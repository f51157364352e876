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
struct cause;
struct property_set;

struct report_options {
	size_t size; /* sizeof(struct report_options) */
	int width;   /* columns of text, 100 */
	bool colour;
	/* MEMSEARCH_BRIEF: leave out times, ids, paths, host (for golden tests) */
	bool brief;
	/* text: every finding with its evidence, instead of causes in 25 lines */
	bool verbose;
	/* also parents explained by their refinements, and candidates */
	bool all;
	size_t most; /* findings shown in text; 0: all */
	bool tree;   /* the search history graph below the list */
	/* plain rate instead of time share, where a property has one */
	bool severity_rate;
	bool no_regions; /* json: without the rows of regions and modules */
	/*
	 * github and sarif: returns the path of a source file in the repository, NULL: not known;
	 * NULL: paths are not known.
	 */
	const char *(*path)(struct arena *arena, const char *file);
	const struct property_set *properties; /* sarif: the texts of the rules; NULL: none */
};
void report_options_init(struct report_options *options);

struct text; /* a growing string, report/text.h */

/* "text", "json", "csv", "github", "sarif"; NULL for an unknown name. */
typedef void report_writer(struct text *out, const struct run *const *runs, size_t nr_runs,
			   const struct report_options *options);
report_writer *report_format(const char *name);

/* Counts of events that the user named, in a table; nothing where none was. */
void report_events(struct text *out, const struct run *run, const struct report_options *options);

void report_answer(struct text *out, const struct run *const *runs, size_t nr_runs,
		   const struct report_options *options);
void report_text(struct text *out, const struct run *const *runs, size_t nr_runs,
		 const struct report_options *options);
/* One cause as text, with all of its evidence. `number`: in the report. */
void report_cause(struct text *out, const struct run *run, const struct cause *cause, size_t number,
		  const struct report_options *options);
/*
 * Findings and candidates as report_text has them, without advice, which is their cause's; what is
 * found of an array in a loop not again of the loops around it. `nodes`: of run->nodes.
 */
void report_evidence(struct text *out, const struct run *run, const struct run_node *const *nodes,
		     size_t nr, const struct report_options *options);
void report_json(struct text *out, const struct run *const *runs, size_t nr_runs,
		 const struct report_options *options);
void report_csv(struct text *out, const struct run *const *runs, size_t nr_runs,
		const struct report_options *options);
void report_github(struct text *out, const struct run *const *runs, size_t nr_runs,
		   const struct report_options *options);
void report_sarif(struct text *out, const struct run *const *runs, size_t nr_runs,
		  const struct report_options *options);

#endif
