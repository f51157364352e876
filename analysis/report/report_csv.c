/* SPDX-License-Identifier: Apache-2.0 */
/* The findings for spreadsheets: one row each, in print order, those of the modelled machine last. */
#include <math.h>
#include <stddef.h>

#include "analysis/base/arena.h"
#include "analysis/report/csv.h"
#include "analysis/report/finding.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"

struct row {
	struct arena *arena;
	const struct run *run;
	const struct run_node *node;
	const struct run_region *region;     /* NULL: unknown */
	double run_number, rank;
};

static const struct source *source_of(const struct row *row)
{
	static const struct source none;

	return row->region ? &row->region->source : &none;
}

static double run_number(const struct row *row) { return row->run_number; }
static double rank(const struct row *row) { return row->rank; }
static double id(const struct row *row) { return row->node->id; }
static const char *property(const struct row *row) { return row->node->property; }
static const char *title(const struct row *row) { return finding_title(row->arena, row->node); }
static double severity(const struct row *row) { return row->node->severity; }
static double severity_low(const struct row *row) { return finding_interval(row->node) ? row->node->severity_low : NAN; }
static double severity_high(const struct row *row) { return finding_interval(row->node) ? row->node->severity_high : NAN; }
static double confidence(const struct row *row) { return row->node->confidence; }
static const char *rung(const struct row *row) { return ms_rung_name(row->node->rung); }
static const char *kind(const struct row *row) { return row->region ? ms_region_kind_name(row->region->kind) : NULL; }
static const char *function(const struct row *row) { return source_of(row)->function; }
static const char *file(const struct row *row) { return source_of(row)->file; }
static const char *path(const struct row *row) { return finding_path(row->arena, row->run, row->node->region); }
static const char *threads(const struct row *row) { return finding_threads(row->arena, row->node); }
static const char *explanation(const struct row *row) { return row->node->explanation; }
static const char *events(const struct row *row) { return row->node->events; }
static const char *advice(const struct row *row) { return row->node->advice; }
static const char *machine(const struct row *row)
{
	return report_standing(row->run, row->node) == REPORT_MODELLED && row->run->modelled.name ? row->run->modelled.name : "host";
}

static const char *approximate(const struct row *row) { return source_of(row)->approximate ? "yes" : "no"; }

static double line(const struct row *row)
{
	int number = source_of(row)->line;

	return number > 0 ? number : NAN;
}

static const struct {
	const char *name;
	const char *(*string)(const struct row *row);
	double (*number)(const struct row *row);
} columns[] = {
	{ "run", NULL, run_number },
	{ "rank", NULL, rank },
	{ "id", NULL, id },
	{ "property", property, NULL },
	{ "title", title, NULL },
	{ "severity", NULL, severity },
	{ "severity_low", NULL, severity_low },
	{ "severity_high", NULL, severity_high },
	{ "confidence", NULL, confidence },
	{ "rung", rung, NULL },
	{ "kind", kind, NULL },
	{ "function", function, NULL },
	{ "file", file, NULL },
	{ "line", NULL, line },
	{ "approximate", approximate, NULL },
	{ "path", path, NULL },
	{ "threads", threads, NULL },
	{ "explanation", explanation, NULL },
	{ "advice", advice, NULL },
	{ "events", events, NULL },
	{ "machine", machine, NULL },
};

#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

static void add_row(struct text *out, const struct row *row)
{
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		if (columns[i].string)
			csv_string(out, i == 0, columns[i].string(row));
		else
			csv_number(out, i == 0, columns[i].number(row));
	}
	text_add(out, "\n");
}

/* Ranks are among those of one standing. */
static void add_rows(struct text *out, const struct run *run, size_t number, enum report_standing standing, bool all)
{
	const uint32_t *ids;
	size_t nr = report_rank(out->arena, run, standing, all, &ids);

	for (size_t i = 0; i < nr; i++) {
		const struct run_node *node = &run->nodes[ids[i]];
		struct row row = { out->arena, run, node, finding_region(run, node), (double)number, (double)i + 1 };

		add_row(out, &row);
	}
}

void report_csv(struct text *out, const struct run *const *runs, size_t nr_runs, const struct report_options *options)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		csv_string(out, i == 0, columns[i].name);
	text_add(out, "\n");
	for (size_t i = 0; i < nr_runs; i++) {
		add_rows(out, runs[i], i + 1, REPORT_FINDING, options->all);
		add_rows(out, runs[i], i + 1, REPORT_MODELLED, options->all);
	}
}
