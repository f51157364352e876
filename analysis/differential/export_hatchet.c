/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run as Caliper's split JSON (src/reader/JsonSplitFormatter.cpp of its sources), which Hatchet
 * and Thicket read by from_caliper: nodes of a tree, columns, rows of data, and the run's metadata
 * at the top level. A metric is two columns: "time" of a node alone and "time (inc)" with all below
 * it, as Hatchet names them. Each node has a row, as readers take values without a row for 0; null
 * is not measured.
 */
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/differential/export.h"
#include "analysis/differential/metrics.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"

static const char *const kinds[] = { [CALL_PHASE] = "phase",
				     [CALL_FUNCTION] = "function",
				     [CALL_REGION] = "region",
				     [CALL_DATA] = "data structure" };
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct hatchet {
	struct json json;
	struct exports *exports;
	size_t run;
	/* that the run has, as rows of metrics.h */
	uint32_t *metrics;
	size_t nr;
	/*
	 * by node of the tree, or CALL_NONE; nodes without a value in any run, as loops within
	 * loops mostly are, have none
	 */
	uint32_t *numbers;
	uint32_t nr_nodes; /* that have a number */
};

static const struct profile *profile_of_run(const struct hatchet *hatchet)
{
	return hatchet->exports->match->runs[hatchet->run].profile;
}

/* Those without a value in this run make no columns. */
static bool set_metrics(struct hatchet *hatchet)
{
	const struct exports *exports = hatchet->exports;
	size_t most = compared_metrics_nr();
	bool *there = arena_alloc(exports->arena, most * sizeof(*there));

	hatchet->metrics = arena_alloc(exports->arena, most * sizeof(*hatchet->metrics));
	if (!there || !hatchet->metrics)
		return false;
	for (size_t i = 0; i < exports->nr_series; i++)
		there[exports->series[i].metric] |= !isnan(exports->series[i].total[hatchet->run]);
	for (uint32_t i = 0; i < most; i++)
		if (there[i])
			hatchet->metrics[hatchet->nr++] = i;
	return true;
}

/* Nodes around one with a value have one, too: it is in theirs. */
static bool set_numbers(struct hatchet *hatchet)
{
	const struct exports *exports = hatchet->exports;

	hatchet->numbers = arena_alloc(exports->arena,
				       (exports->tree.nr + 1) * sizeof(*hatchet->numbers));
	for (size_t i = 0; i < exports->tree.nr && hatchet->numbers; i++)
		hatchet->numbers[i] = CALL_NONE;
	for (size_t i = 0; i < exports->nr_series && hatchet->numbers; i++)
		if (hatchet->numbers[exports->series[i].node] == CALL_NONE)
			hatchet->numbers[exports->series[i].node] = hatchet->nr_nodes++;
	return hatchet->numbers;
}

/* ------------------------------------------------------------------ metadata */

/* Settings whose values are numbers are numbers, so that groups by them have an order. */
static void write_setting(struct json *json, const char *name, const char *value)
{
	size_t digits = strspn(value, "0123456789");

	if (digits && !value[digits] && digits < 16 && (value[0] != '0' || digits == 1)) {
		uint64_t number = 0;

		for (size_t i = 0; i < digits; i++)
			number = number * 10 + (uint64_t)(value[i] - '0');
		json_unsigned(json, name, number);
		return;
	}
	json_string(json, name, value);
}

static bool has_setting(const struct profile *profile, const char *name)
{
	return profile_setting(profile, name) != NULL;
}

static void write_metadata(struct hatchet *hatchet)
{
	const struct profile *profile = profile_of_run(hatchet);
	const struct {
		const char *name, *value;
	} texts[] = {
		{ "program", base_name(profile->program) },
		{ "command", profile->command },
		{ "arguments", profile->arguments },
		{ "machine", profile->machine },
		{ "cpu", profile->cpu },
		{ "host", profile->host },
		{ "runtime", profile->runtime },
		{ "build", profile->build },
		{ "placement", profile->placement },
	};
	struct json *json = &hatchet->json;

	json_string(json, "memsearch.version", MEMSEARCH_VERSION);
	for (size_t i = 0; i < profile->nr_settings; i++)
		write_setting(json, profile->settings[i].name, profile->settings[i].value);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!has_setting(profile, texts[i].name))
			json_string(json, texts[i].name, texts[i].value);
	json_unsigned(json, "cpus", profile->cpus);
	json_unsigned(json, "executions", profile->executions);
	json_number(json, "phase_ns", profile->phase_ns);
}

/* ------------------------------------------------------------------ columns and nodes */

static void write_columns(struct hatchet *hatchet)
{
	struct json *json = &hatchet->json;
	struct arena *arena = hatchet->exports->arena;

	json_open(json, "columns", '[');
	json_string(json, NULL, "path");
	json_string(json, NULL, "kind");
	for (size_t i = 0; i < hatchet->nr; i++) {
		const char *name = export_metric(arena, hatchet->metrics[i]);

		json_string(json, NULL, name);
		json_string(json, NULL, arena_printf(arena, "%s (inc)", name ? name : ""));
	}
	json_close(json);
	json_open(json, "column_metadata", '[');
	for (size_t i = 0; i < 2 + 2 * hatchet->nr; i++) {
		json_open(json, NULL, '{');
		json_bool(json, "is_value", i >= 2);
		if (i >= 2)
			json_string(json, "attribute.unit",
				    compared_metric(hatchet->metrics[i / 2 - 1])->unit);
		json_close(json);
	}
	json_close(json);
}

/* Words of the column "kind" are nodes behind those of the tree. */
static void write_nodes(struct hatchet *hatchet)
{
	const struct call_tree *tree = &hatchet->exports->tree;
	struct json *json = &hatchet->json;

	json_open(json, "nodes", '[');
	for (uint32_t i = 0; i < tree->nr; i++) {
		if (hatchet->numbers[i] == CALL_NONE)
			continue;
		json_open(json, NULL, '{');
		json_string(json, "label", hatchet->exports->names[i]);
		json_string(json, "column", "path");
		if (tree->nodes[i].parent != CALL_NONE)
			json_unsigned(json, "parent", hatchet->numbers[tree->nodes[i].parent]);
		json_close(json);
	}
	for (size_t i = 0; i < NR_KINDS; i++) {
		json_open(json, NULL, '{');
		json_string(json, "label", kinds[i]);
		json_string(json, "column", "kind");
		json_close(json);
	}
	json_close(json);
}

/* ------------------------------------------------------------------ data */

static void write_data(struct hatchet *hatchet)
{
	const struct exports *exports = hatchet->exports;
	struct json *json = &hatchet->json;
	size_t at = 0;

	json_open(json, "data", '[');
	for (uint32_t node = 0; node < exports->tree.nr; node++) {
		if (hatchet->numbers[node] == CALL_NONE)
			continue;
		json_open(json, NULL, '[');
		json_unsigned(json, NULL, hatchet->numbers[node]);
		json_unsigned(json, NULL, hatchet->nr_nodes + exports->tree.nodes[node].kind);
		for (size_t i = 0; i < hatchet->nr; i++) {
			const struct export_series *series;

			while (at < exports->nr_series &&
			       (exports->series[at].node < node ||
				(exports->series[at].node == node &&
				 exports->series[at].metric < hatchet->metrics[i])))
				at++;
			series = at < exports->nr_series && exports->series[at].node == node &&
						 exports->series[at].metric == hatchet->metrics[i]
					 ? &exports->series[at]
					 : NULL;
			json_number(json, NULL, series ? series->own[hatchet->run] : NAN);
			json_number(json, NULL, series ? series->total[hatchet->run] : NAN);
		}
		json_close(json);
	}
	json_close(json);
}

const char *export_hatchet(struct text *out, struct exports *exports, size_t run)
{
	struct hatchet hatchet = { .exports = exports, .run = run };

	if (!set_metrics(&hatchet) || !set_numbers(&hatchet))
		return "out of memory";
	json_init(&hatchet.json, out);
	json_open(&hatchet.json, NULL, '{');
	write_metadata(&hatchet);
	write_columns(&hatchet);
	write_nodes(&hatchet);
	write_data(&hatchet);
	json_close(&hatchet.json);
	return NULL;
}
