/* SPDX-License-Identifier: Apache-2.0 */
/* Compares strategies by what they find over the same runs, and when. */
#include "analysis/cmds/search_compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/searched.h"
#include "analysis/cmds/show.h"
#include "analysis/report/emitter.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/search/accounting.h"
#include "analysis/search/engine_results.h"
#include "memsearch/strategy.h"

#define WIDTH 100 /* as tables */

/* ------------------------------------------------------------------ searches */

/* What is a finding at the end; a step on the way is none. */
static bool keep_profile(struct compared_search *out, struct arena *arena,
			 const struct searched *searched)
{
	const struct monitored_search *search = &searched->search;
	struct search_profile_point *points = arena_alloc(arena, (search->nr_proofs + 1) *
									 sizeof(*points));
	size_t nr = 0;

	for (size_t i = 0; points && i < search->nr_proofs; i++) {
		uint32_t node = search->proofs[i].node;

		if (searched_is_finding(searched, &searched->found.nodes[node]))
			points[nr++] = (struct search_profile_point){
				engine_node(search->engine, node)->candidate,
				search->proofs[i].executions,
			};
	}
	out->profile = (struct search_profile){ points, nr };
	return points;
}

/* The search has an arena of its own, which is freed. */
static bool search_by(struct compared_search *out, struct arena *arena,
		      const struct compared_run *compared, const struct searched_how *how,
		      const struct ms_strategy *strategy)
{
	struct searched searched = { .path = compared->path,
				     .run = compared->run,
				     .strategy = strategy };
	struct arena *own = arena_new();
	bool ok = own && searched_run_over(&searched, own, how) &&
		  keep_profile(out, arena, &searched);

	if (ok) {
		out->strategy = strategy->name;
		out->executions = searched.search.executions;
		out->ended = searched.search.ended;
		out->cost = searched.found.cost;
		out->candidates = searched.found.nr_nodes;
		out->trace_bytes = searched.trace_bytes;
	}
	arena_free(own);
	return ok;
}

bool compared_run_fill(struct compared_run *compared, struct arena *arena,
		       const struct searched_how *how, const struct ms_strategy *const *strategies,
		       size_t nr)
{
	struct search_profile *profiles = arena_alloc(arena, (nr + 1) * sizeof(*profiles));

	compared->searches = arena_alloc(arena, (nr + 1) * sizeof(*compared->searches));
	compared->nr = nr;
	if (!profiles || !compared->searches)
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!search_by(&compared->searches[i], arena, compared, how, strategies[i]))
			return false;
		profiles[i] = compared->searches[i].profile;
	}
	compared->known = search_profile_known(arena, profiles, nr);
	return compared->known != SIZE_MAX;
}

/* ------------------------------------------------------------------ rows */

struct compared_row {
	const struct compared_run *of;
	const struct compared_search *search;
	struct search_score score;
};

#define RECORD_FIELDS(X) \
	X(STRING, "record", "record", "record", NULL, row->path) \
	X(STRING, "program", "program", NULL, NULL, report_program(row->run, show_is_brief())) \
	X(NUMBER, "executions_of_run", "executions_of_run", NULL, NULL, \
	  row->run->phase.executions) \
	X(NUMBER, "known", "known", NULL, NULL, row->known)
EMIT_LIST(record_fields, struct compared_run, RECORD_FIELDS)

#define SEARCH_FIELDS(X) \
	X(STRING, "strategy", "strategy", "strategy", NULL, row->search->strategy) \
	X(NUMBER, "found", "found", "found", "exact", row->search->profile.nr) \
	X(NUMBER, NULL, NULL, "of known", "exact", row->of->known) \
	X(NUMBER, "executions_half", "executions_half", "to half", "exact", row->score.half) \
	X(NUMBER, "executions_all", "executions_all", "to all", "exact", row->score.all) \
	X(NUMBER, "utility", "utility", "utility", "1", row->score.utility) \
	X(NUMBER, "executions", "executions", "executions", "exact", row->search->executions) \
	X(BOOL, "ended", "ended", NULL, NULL, row->search->ended) \
	X(NUMBER, "experiments", "experiments", "experiments", "exact", \
	  row->search->cost.experiments) \
	X(NUMBER, "candidates", "candidates", "candidates", "exact", row->search->candidates) \
	X(NUMBER, "counters_possible", "counters_possible", NULL, NULL, \
	  row->search->cost.counters_possible) \
	X(NUMBER, "counters_used", "counters_used", "counters", "exact", \
	  row->search->cost.counters_used) \
	X(NUMBER, "samples_possible", "samples_possible", NULL, NULL, \
	  row->search->cost.samples_possible) \
	X(NUMBER, "samples_used", "samples_used", "samples", "exact", \
	  row->search->cost.samples_used) \
	X(NUMBER, "sample_bytes", "sample_bytes", NULL, NULL, \
	  accounting_bytes(row->search->cost.samples_used)) \
	X(NUMBER, "trace_bytes", "trace_bytes", NULL, NULL, row->search->trace_bytes)
EMIT_LIST(search_fields, struct compared_row, SEARCH_FIELDS)

static struct compared_row row_of(const struct compared_run *of, size_t number)
{
	const struct compared_search *search = &of->searches[number];

	return (struct compared_row){ of, search,
				      search_profile_score(&search->profile, of->known) };
}

/* ------------------------------------------------------------------ over several runs */

/* Of `nr` values; NAN among them: it was not reached in one of the runs, and there is no mean. */
struct spread {
	double sum, least, most;
	size_t nr;
};

struct summary_row {
	struct arena *arena;
	const char *strategy;
	size_t runs, found, known;
	struct spread half, all, utility, experiments;
};

static void spread_add(struct spread *spread, double value)
{
	spread->sum += value;
	spread->least = spread->nr ? fmin(spread->least, value) : value;
	spread->most = spread->nr++ ? fmax(spread->most, value) : value;
}

static double mean_of(const struct spread *spread)
{
	return spread->nr ? spread->sum / (double)spread->nr : NAN;
}

/* "12 (9-15)"; NULL: no mean */
static const char *spread_words(const struct summary_row *row, const struct spread *spread)
{
	double mean = mean_of(spread);

	return isnan(mean) ? NULL
			   : arena_printf(row->arena, "%.3g (%.0f-%.0f)", mean, spread->least,
					  spread->most);
}

/* Times are of the runs in which anything is known. */
static struct summary_row summary_of(struct arena *arena, const struct compared_run *runs,
				     size_t nr, size_t strategy)
{
	struct summary_row row = { .arena = arena,
				   .strategy = runs[0].searches[strategy].strategy,
				   .runs = nr };

	for (size_t i = 0; i < nr; i++) {
		struct compared_row one = row_of(&runs[i], strategy);

		row.found += one.search->profile.nr;
		row.known += runs[i].known;
		spread_add(&row.experiments, (double)one.search->cost.experiments);
		if (!runs[i].known)
			continue;
		spread_add(&row.half, one.score.half);
		spread_add(&row.all, one.score.all);
		spread_add(&row.utility, one.score.utility);
	}
	return row;
}

#define SUMMARY_FIELDS(X) \
	X(STRING, "strategy", NULL, "strategy", NULL, row->strategy) \
	X(NUMBER, "runs", NULL, "runs", "exact", row->runs) \
	X(NUMBER, "found", NULL, "found", "exact", row->found) \
	X(NUMBER, "known", NULL, "of known", "exact", row->known) \
	X(STRING, NULL, NULL, "to half", NULL, spread_words(row, &row->half)) \
	X(STRING, NULL, NULL, "to all", NULL, spread_words(row, &row->all)) \
	X(NUMBER, NULL, NULL, "utility", "1", mean_of(&row->utility)) \
	X(NUMBER, NULL, NULL, "experiments", "1", mean_of(&row->experiments))
EMIT_LIST(summary_fields, struct summary_row, SUMMARY_FIELDS)

static void put_spread(struct json *json, const char *key, const struct spread *spread)
{
	double mean = mean_of(spread);

	if (isnan(mean)) {
		json_null(json, key);
		return;
	}
	json_open(json, key, '{');
	json_number(json, "mean", mean);
	json_number(json, "least", spread->least);
	json_number(json, "most", spread->most);
	json_close(json);
}

static void put_summary(struct json *json, const struct compared_run *runs, size_t nr)
{
	json_open(json, "strategies", '[');
	for (size_t k = 0; nr && k < runs[0].nr; k++) {
		struct summary_row row = summary_of(json->out->arena, runs, nr, k);

		json_open(json, NULL, '{');
		emit_members(json, &summary_fields, &row);
		put_spread(json, "executions_half", &row.half);
		put_spread(json, "executions_all", &row.all);
		put_spread(json, "utility", &row.utility);
		put_spread(json, "experiments", &row.experiments);
		json_close(json);
	}
	json_close(json);
}

static void print_summary(struct text *out, const struct compared_run *runs, size_t nr)
{
	static const struct emit_list *const lists[] = { &summary_fields, NULL };
	struct table table;

	text_printf(out, "\nAll %zu runs: sums, and means (least to most)\n", nr);
	emit_columns(&table, out->arena, EMIT_TEXT, lists);
	for (size_t k = 0; k < runs[0].nr; k++) {
		struct summary_row row = summary_of(out->arena, runs, nr, k);

		emit_row(&table, EMIT_TEXT, lists, &row);
	}
	table_print(out, &table, "text");
}

/* ------------------------------------------------------------------ formats */

static void put_search(struct json *json, const struct compared_row *row)
{
	json_open(json, NULL, '{');
	emit_members(json, &search_fields, row);
	json_open(json, "profile", '[');
	for (size_t i = 0; i < row->search->profile.nr; i++)
		json_unsigned(json, NULL, row->search->profile.points[i].executions);
	json_close(json);
	json_close(json);
}

static void print_json(struct text *out, const struct compared_run *runs, size_t nr)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "memsearch-search-compare-1");
	json_open(&json, "records", '[');
	for (size_t i = 0; i < nr; i++) {
		json_open(&json, NULL, '{');
		emit_members(&json, &record_fields, &runs[i]);
		json_open(&json, "strategies", '[');
		for (size_t k = 0; k < runs[i].nr; k++) {
			struct compared_row row = row_of(&runs[i], k);

			put_search(&json, &row);
		}
		json_close(&json);
		json_close(&json);
	}
	json_close(&json);
	put_summary(&json, runs, nr);
	json_close(&json);
}

static void add_rows(struct table *table, enum emit_as as, const struct compared_run *of)
{
	for (size_t k = 0; k < of->nr; k++) {
		struct compared_row row = row_of(of, k);

		if (as == EMIT_CSV)
			emit_cells(table, as, &record_fields, of);
		emit_cells(table, as, &search_fields, &row);
	}
}

static void print_csv(struct text *out, const struct compared_run *runs, size_t nr)
{
	static const struct emit_list *const lists[] = { &record_fields, &search_fields, NULL };
	struct table table;

	emit_columns(&table, out->arena, EMIT_CSV, lists);
	for (size_t i = 0; i < nr; i++)
		add_rows(&table, EMIT_CSV, &runs[i]);
	table_print(out, &table, "csv");
}

static void put_heading(struct text *out, const struct compared_run *of)
{
	const char *path = strrchr(of->path, '/');

	text_add_plain(out, report_program(of->run, show_is_brief()));
	text_add(out, "   ");
	text_add_plain(out, show_is_brief() && path ? path + 1 : of->path);
	text_printf(out, "   %zu finding%s known", of->known, of->known == 1 ? "" : "s");
	if (of->run->phase.method == PHASE_WHOLE_PROGRAM)
		text_add(out, ", of the whole program\n");
	else
		text_printf(out, ", %" PRIu64 " executions of the phase in the run\n",
			    of->run->phase.executions);
}

static const char notes[] =
	"known: findings of all strategies together. to half, to all: executions of the phase until that part of the known was found (-: not found)."
	" utility: minus the executions until each finding, summed with weight 1 / known; of searches that found as many, nearer to 0 is better.";

static void print_text(struct text *out, const struct compared_run *runs, size_t nr)
{
	static const struct emit_list *const lists[] = { &search_fields, NULL };
	struct table table;

	for (size_t i = 0; i < nr; i++) {
		if (i)
			text_add(out, "\n");
		put_heading(out, &runs[i]);
		emit_columns(&table, out->arena, EMIT_TEXT, lists);
		add_rows(&table, EMIT_TEXT, &runs[i]);
		table_print(out, &table, "text");
	}
	if (nr > 1)
		print_summary(out, runs, nr);
	text_add(out, "\n");
	text_wrap(out, notes, 0, WIDTH);
	text_add(out, "\n");
}

void compared_print(struct text *out, const struct compared_run *runs, size_t nr,
		    const char *format)
{
	(!strcmp(format, "json")  ? print_json
	 : !strcmp(format, "csv") ? print_csv
				  : print_text)(out, runs, nr);
}
