/* SPDX-License-Identifier: Apache-2.0 */
/* One search over a record as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/searched.h"
#include "analysis/cmds/show.h"
#include "analysis/report/emitter.h"
#include "analysis/report/finding.h"
#include "analysis/report/history_graph.h"
#include "analysis/report/json.h"
#include "analysis/report/rank.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "analysis/search/accounting.h"
#include "memsearch/request.h"
#include "memsearch/strategy.h"

/* ------------------------------------------------------------------ rows */

struct proof_row {
	struct arena *arena;
	const struct run *run;
	const struct run_node *node;
	const struct monitored_proof *proof;
};

static double thread_of(const struct run_node *node)
{
	return node->thread == MS_REQUEST_ALL_THREADS ? NAN : node->thread;
}

static const char *standing_name(const struct run *run, const struct run_node *node)
{
	static const char *const names[] = { [REPORT_FINDING] = "finding",
					     [REPORT_CANDIDATE] = "candidate",
					     [REPORT_MODELLED] = "modelled",
					     [REPORT_STEP] = "step" };

	return node->state == MS_NODE_TRUE ? names[report_standing(run, node)] : NULL;
}

/* "12 %", or of a model's bounds "0-12 %" */
static const char *severity_words(struct arena *arena, const struct run *run,
				  const struct run_node *node)
{
	struct text text;

	text_init(&text, arena);
	if (node->state == MS_NODE_TRUE && report_standing(run, node) == REPORT_CANDIDATE)
		units_share_range(&text, node->severity, node->severity_high);
	else
		units_share(&text, node->severity);
	return text.bytes;
}

/* "threads wait …, loop in calc2 (swim.c:354), thread 3" */
static const char *candidate_words(struct arena *arena, const struct run *run,
				   const struct run_node *node)
{
	const char *words = arena_printf(arena, "%s, %s", finding_title(arena, node),
					 finding_place(arena, run, node->region));

	if (node->thread != MS_REQUEST_ALL_THREADS)
		words = arena_printf(arena, "%s, thread %" PRIu32, words, node->thread);
	return arena_printf(arena, "%s%s", words, finding_during(arena, run, node));
}

static const char *proof_words(const struct proof_row *row)
{
	const char *words = candidate_words(row->arena, row->run, row->node);

	return row->node->state == MS_NODE_TRUE
		       ? words
		       : arena_printf(row->arena, "%s (at the end: %s)", words,
				      history_graph_verdict(row->node));
}

#define PROOF_FIELDS(X) \
	X(NUMBER, "experiment", "experiment", "experiment", "1", row->proof->experiments) \
	X(NUMBER, "execution", "execution", "execution", "exact", row->proof->executions) \
	X(STRING, "state", "state", NULL, NULL, history_graph_verdict(row->node)) \
	X(STRING, NULL, NULL, "severity", NULL, severity_words(row->arena, row->run, row->node)) \
	X(NUMBER, NULL, NULL, "confidence", "%", 100 * row->node->confidence) \
	X(NUMBER, "severity", "severity", NULL, NULL, row->node->severity) \
	X(NUMBER, "confidence", "confidence", NULL, NULL, row->node->confidence) \
	X(STRING, "standing", "standing", NULL, NULL, standing_name(row->run, row->node)) \
	X(NUMBER, "node", "node", NULL, NULL, row->node->id) \
	X(STRING, "property", "property", NULL, NULL, row->node->property) \
	X(NUMBER, "region", "region", NULL, NULL, row->node->region) \
	X(NUMBER, "thread", "thread", NULL, NULL, thread_of(row->node)) \
	X(STRING, "title", "title", NULL, NULL, finding_title(row->arena, row->node)) \
	X(STRING, "place", "place", NULL, NULL, \
	  finding_place(row->arena, row->run, row->node->region)) \
	X(STRING, NULL, NULL, "finding", NULL, proof_words(row))
EMIT_LIST(proof_fields, struct proof_row, PROOF_FIELDS)

/*
 * By node: what the report lists, or was true for a time; not steps, nor what a refinement
 * explains. NULL: no memory.
 */
static const bool *listed_nodes(struct arena *arena, const struct searched *searched, bool all)
{
	const struct run *found = &searched->found;
	bool *listed = arena_alloc(arena, found->nr_nodes + 1);
	const uint32_t *ids;

	for (size_t i = 0; listed && i < found->nr_nodes; i++)
		listed[i] = all || found->nodes[i].state != MS_NODE_TRUE;
	for (int standing = REPORT_FINDING; listed && standing < REPORT_STEP; standing++) {
		size_t nr = report_rank(arena, found, (enum report_standing)standing, false, &ids);

		for (size_t i = 0; i < nr; i++)
			listed[ids[i]] = true;
	}
	return listed;
}

static bool next_proof(struct arena *arena, const struct searched *searched, const bool *listed,
		       size_t *at, struct proof_row *out)
{
	while (listed && *at < searched->search.nr_proofs) {
		const struct monitored_proof *proof = &searched->search.proofs[(*at)++];

		*out = (struct proof_row){ arena, &searched->found,
					   &searched->found.nodes[proof->node], proof };
		if (listed[proof->node])
			return true;
	}
	return false;
}

static size_t print_proofs(struct text *out, const struct searched *searched, enum emit_as as,
			   bool all)
{
	static const struct emit_list *const lists[] = { &proof_fields, NULL };
	const bool *listed = listed_nodes(out->arena, searched, all);
	struct table table;
	struct proof_row row;
	size_t at = 0, nr = 0;

	emit_columns(&table, out->arena, as, lists);
	for (; next_proof(out->arena, searched, listed, &at, &row); nr++)
		emit_row(&table, as, lists, &row);
	if (nr || as == EMIT_CSV)
		table_print(out, &table, as == EMIT_CSV ? "csv" : "text");
	return nr;
}

/* ------------------------------------------------------------------ numbers of candidates */

static size_t count_state(const struct run *found, unsigned int state)
{
	size_t nr = 0;

	for (size_t i = 0; i < found->nr_nodes; i++)
		nr += found->nodes[i].state == state;
	return nr;
}

static size_t count_undecided(const struct run *found)
{
	return count_state(found, MS_NODE_PENDING) + count_state(found, MS_NODE_ACTIVE);
}

#define SEARCH_FIELDS(X) \
	X(STRING, "program", NULL, NULL, NULL, report_program(row->run, show_is_brief())) \
	X(STRING, "strategy", NULL, NULL, NULL, row->strategy->name) \
	X(BOOL, "ended", NULL, NULL, NULL, row->search.ended) \
	X(NUMBER, "executions", NULL, NULL, NULL, row->search.executions) \
	X(NUMBER, "executions_of_run", NULL, NULL, NULL, row->run->phase.executions) \
	X(NUMBER, "experiments", NULL, NULL, NULL, row->found.cost.experiments) \
	X(NUMBER, "candidates", NULL, NULL, NULL, row->found.nr_nodes) \
	X(NUMBER, "true", NULL, NULL, NULL, count_state(&row->found, MS_NODE_TRUE)) \
	X(NUMBER, "false", NULL, NULL, NULL, count_state(&row->found, MS_NODE_FALSE)) \
	X(NUMBER, "unknown", NULL, NULL, NULL, count_state(&row->found, MS_NODE_UNKNOWN)) \
	X(NUMBER, "discontinued", NULL, NULL, NULL, \
	  count_state(&row->found, MS_NODE_DISCONTINUED)) \
	X(NUMBER, "missed", NULL, NULL, NULL, count_state(&row->found, MS_NODE_MISSED)) \
	X(NUMBER, "undecided", NULL, NULL, NULL, count_undecided(&row->found))
EMIT_LIST(search_fields, struct searched, SEARCH_FIELDS)

static double share_of(uint64_t used, uint64_t possible)
{
	return possible ? accounting_share(used, possible) : NAN;
}

static double ratio_of(const struct searched *row)
{
	uint64_t samples = row->found.cost.samples_used;

	return samples ? accounting_ratio(row->trace_bytes, samples) : NAN;
}

#define DATA_FIELDS(X) \
	X(NUMBER, "counters_possible", NULL, NULL, NULL, row->found.cost.counters_possible) \
	X(NUMBER, "counters_used", NULL, NULL, NULL, row->found.cost.counters_used) \
	X(NUMBER, "counters_share", NULL, NULL, NULL, \
	  share_of(row->found.cost.counters_used, row->found.cost.counters_possible)) \
	X(NUMBER, "samples_possible", NULL, NULL, NULL, row->found.cost.samples_possible) \
	X(NUMBER, "samples_used", NULL, NULL, NULL, row->found.cost.samples_used) \
	X(NUMBER, "samples_share", NULL, NULL, NULL, \
	  share_of(row->found.cost.samples_used, row->found.cost.samples_possible)) \
	X(NUMBER, "sample_bytes", NULL, NULL, NULL, \
	  accounting_bytes(row->found.cost.samples_used)) \
	X(NUMBER, "trace_bytes", NULL, NULL, NULL, row->trace_bytes) \
	X(NUMBER, "ratio", NULL, NULL, NULL, ratio_of(row))
EMIT_LIST(data_fields, struct searched, DATA_FIELDS)

struct unknown_row {
	struct arena *arena;
	const struct run *run;
	const struct run_node *node;
};

#define UNKNOWN_FIELDS(X) \
	X(STRING, "property", NULL, NULL, NULL, row->node->property) \
	X(NUMBER, "region", NULL, NULL, NULL, row->node->region) \
	X(STRING, "place", NULL, NULL, NULL, \
	  finding_place(row->arena, row->run, row->node->region)) \
	X(STRING, "metric", NULL, NULL, NULL, row->node->missing_metric) \
	X(STRING, "why", NULL, NULL, NULL, ms_missing_text(row->node->missing))
EMIT_LIST(unknown_fields, struct unknown_row, UNKNOWN_FIELDS)

/* ------------------------------------------------------------------ JSON */

static void print_json(struct text *out, const struct searched *searched)
{
	const bool *listed = listed_nodes(out->arena, searched, true);
	struct proof_row proof;
	struct json json;
	size_t at = 0;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "memsearch-search-1");
	emit_members(&json, &search_fields, searched);
	json_open(&json, "data", '{');
	emit_members(&json, &data_fields, searched);
	json_close(&json);
	json_open(&json, "proven", '[');
	while (next_proof(out->arena, searched, listed, &at, &proof)) {
		json_open(&json, NULL, '{');
		emit_members(&json, &proof_fields, &proof);
		json_close(&json);
	}
	json_close(&json);
	json_open(&json, "unknowns", '[');
	for (size_t i = 0; i < searched->found.nr_nodes; i++) {
		struct unknown_row row = { out->arena, &searched->found,
					   &searched->found.nodes[i] };

		if (row.node->state != MS_NODE_UNKNOWN)
			continue;
		json_open(&json, NULL, '{');
		emit_members(&json, &unknown_fields, &row);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
}

/* ------------------------------------------------------------------ text */

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

static void put_head(struct text *out, const struct searched *searched)
{
	const struct run *run = searched->run;
	uint64_t experiments = searched->found.cost.experiments,
		 executions = searched->search.executions;

	text_add(out, "memsearch: ");
	text_add_plain(out, report_program(run, show_is_brief()));
	text_printf(out, "   strategy %s   %" PRIu64 " experiment%s in %" PRIu64 " ",
		    searched->strategy->name, experiments, plural(experiments), executions);
	if (run->phase.method != PHASE_WHOLE_PROGRAM)
		text_printf(out, "execution%s of the phase (the run had %" PRIu64 ")\n\n",
			    plural(executions), run->phase.executions);
	else
		text_printf(out, "run%s of the whole program (it has no phase)\n\n",
			    plural(executions));
}

static void put_tested(struct text *out, const struct searched *searched)
{
	const struct run *found = &searched->found;

	text_printf(out, "\n%zu candidate%s: %zu true", found->nr_nodes, plural(found->nr_nodes),
		    count_state(found, MS_NODE_TRUE));
	text_printf(out, ", %zu false, %zu unknown, %zu discontinued, %zu undecided\n",
		    count_state(found, MS_NODE_FALSE), count_state(found, MS_NODE_UNKNOWN),
		    count_state(found, MS_NODE_DISCONTINUED), count_undecided(found));
	if (count_state(found, MS_NODE_MISSED))
		text_printf(out, "%zu missed: measuring began too late in their interval\n",
			    count_state(found, MS_NODE_MISSED));
	if (!searched->search.ended)
		text_add(out, "The search was stopped by --executions or by hand.\n");
}

/* Candidates of a reason that are printed; the rest is counted. */
#define UNKNOWN_LISTED 20

static void put_unknown_why(struct text *out, const struct searched *searched, unsigned int why,
			    const struct searched_format *as)
{
	const struct run *found = &searched->found;
	struct text list;
	size_t nr = 0;

	text_init(&list, out->arena);
	for (size_t i = 0; i < found->nr_nodes; i++) {
		const struct run_node *node = &found->nodes[i];

		if ((node->state != MS_NODE_UNKNOWN && node->state != MS_NODE_MISSED) ||
		    node->missing != why)
			continue;
		if (++nr <= UNKNOWN_LISTED || as->all)
			text_printf(&list, "%s%s", nr > 1 ? "; " : "",
				    candidate_words(out->arena, found, node));
	}
	if (!nr)
		return;
	if (nr > UNKNOWN_LISTED && !as->all)
		text_printf(&list, "; and %zu more (--all lists them)", nr - UNKNOWN_LISTED);
	text_add(out, "Unknown, ");
	text_wrap(out, arena_printf(out->arena, "%s: %s", ms_missing_text(why), list.bytes), 2,
		  as->width);
	text_add(out, "\n");
}

/* Candidates without a verdict, by reason: "why: candidate; candidate". */
static void put_unknown(struct text *out, const struct searched *searched,
			const struct searched_format *as)
{
	for (unsigned int why = 0; why < MS_MISSING_REASONS; why++)
		put_unknown_why(out, searched, why, as);
}

static void put_used(struct text *out, const char *what, uint64_t used, uint64_t possible)
{
	text_printf(out, "%s %" PRIu64 " of %" PRIu64 " (", what, used, possible);
	units_share(out, share_of(used, possible));
	text_add(out, ")\n");
}

static void put_data(struct text *out, const struct searched *searched)
{
	const struct run_cost *cost = &searched->found.cost;

	text_add(out, "\n");
	put_used(out, "Counters used:", cost->counters_used, cost->counters_possible);
	put_used(out, "Samples used: ", cost->samples_used, cost->samples_possible);
	text_add(out, "Size of these: ");
	units_bytes(out, (double)accounting_bytes(cost->samples_used));
	text_add(out, "; of a trace of every value: ");
	units_bytes(out, searched->trace_bytes);
	if (isfinite(ratio_of(searched))) {
		text_add(out, ", ");
		units_value(out, ratio_of(searched), "1");
		text_add(out, " times as much");
	}
	text_add(out, "\n");
}

void searched_print(struct text *out, const struct searched *searched,
		    const struct searched_format *as)
{
	size_t listed;

	if (!strcmp(as->format, "json")) {
		print_json(out, searched);
		return;
	}
	if (!strcmp(as->format, "csv")) {
		print_proofs(out, searched, EMIT_CSV, true);
		return;
	}
	put_head(out, searched);
	listed = print_proofs(out, searched, EMIT_TEXT, as->all);
	if (!listed)
		text_add(out, "Nothing was found.\n");
	if (listed < searched->search.nr_proofs)
		text_printf(out, "%zu true candidate%s only led to these (--all)\n",
			    searched->search.nr_proofs - listed,
			    plural(searched->search.nr_proofs - listed));
	put_tested(out, searched);
	put_unknown(out, searched, as);
	put_data(out, searched);
}
