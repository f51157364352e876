/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comparison for code reviews: Markdown for a pull request, workflow commands that GitHub Actions shows at lines of a change, and SARIF 2.1.0 (OASIS) for
 * code scanning. The last two say only which limits were exceeded.
 */
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/print.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define ROWS_MOST 20

/* ------------------------------------------------------------------ Markdown */

/* What Markdown would take for a sign of its own, tables' bars included, is escaped. */
static void add_escaped(struct text *out, const char *words)
{
	for (; words && *words; words++) {
		if (strchr("\\`*_{}[]<>|#~", *words))
			text_add(out, "\\");
		text_add_bytes(out, words, 1);
	}
}

static const char *plain(struct text *out, const char *words)
{
	struct text text;

	text_init(&text, out->arena);
	text_add_plain(&text, words);
	return text.bytes;
}

static void markdown_row(struct text *out, const struct diff_page *page, const struct difference *row)
{
	const struct compared_metric *metric = compared_metric(row->metric);

	text_printf(out, "| %s | ", verdict_name(row->verdict));
	add_escaped(out, plain(out, diff_where(out, page, row)));
	text_printf(out, " | %s (%s) | ", metric->heading, ms_rung_name(metric->rung));
	units_value(out, row->nr[MATCH_BASE] ? row->mean[MATCH_BASE] : 0, metric->unit);
	text_add(out, " | ");
	units_value(out, row->nr[MATCH_NEW] ? row->mean[MATCH_NEW] : 0, metric->unit);
	if (isnan(row->ratio))
		text_add(out, " | |\n");
	else
		text_printf(out, " | %.3g |\n", row->ratio);
}

static void markdown_limits(struct text *out, const struct diff_page *page)
{
	static const char *const marks[] = { [LIMIT_KEPT] = "kept", [LIMIT_EXCEEDED] = "**exceeded**", [LIMIT_UNCERTAIN] = "cannot tell", [LIMIT_UNMEASURED] = "**not measured**" };

	for (size_t i = 0; i < page->nr_limits; i++) {
		text_printf(out, "- %s: ", marks[page->limits[i].state]);
		add_escaped(out, plain(out, diff_limit(out, page, &page->limits[i])));
		text_add(out, "\n");
	}
	if (page->nr_limits)
		text_add(out, "\n");
}

void diff_markdown(struct text *out, const struct diff_page *page)
{
	size_t most = page->most ? page->most : ROWS_MOST, nr = 0;

	text_add(out, "### memsearch: ");
	add_escaped(out, plain(out, page->title));
	text_add(out, "\n\n");
	markdown_limits(out, page);
	for (size_t i = 0; i < page->comparison->nr && nr < most; i++) {
		const struct difference *row = &page->comparison->rows[i];

		if (!verdict_is_difference(row->verdict) || ((row->small || row->slight) && !page->all) || !diff_is_listed(page, row))
			continue;
		if (!nr++) {
			text_add(out, "| | where | metric | ");
			add_escaped(out, page->names[MATCH_BASE]);
			text_add(out, " | ");
			add_escaped(out, page->names[MATCH_NEW]);
			text_add(out, " | ratio |\n|---|---|---|---:|---:|---:|\n");
		}
		markdown_row(out, page, row);
	}
	text_add_plain(out, nr ? "" : "No difference.");
	text_add(out, "\n");
	for (size_t i = 0; i < page->warnings->nr; i++) {
		text_add(out, "\n> ");
		add_escaped(out, plain(out, page->warnings->items[i]));
		text_add(out, "\n");
	}
}

/* ------------------------------------------------------------------ where a limit's message stands */

static const struct profile_place *place_of(const struct diff_page *page, const struct limit_result *result)
{
	const struct difference *row = result->part ? result->part : result->worst;
	const struct matched_place *place = row ? &page->comparison->match->places[row->place] : NULL;

	if (!place)
		return NULL;
	return place->of[MATCH_NEW] && place->of[MATCH_NEW]->line ? place->of[MATCH_NEW] : NULL;
}

static bool is_bad(const struct limit_result *result)
{
	return result->state == LIMIT_EXCEEDED || result->state == LIMIT_UNMEASURED;
}

/* ------------------------------------------------------------------ GitHub */

/* As GitHub's runner reads them: %, line breaks, and in properties : and , are escaped. */
static void add_command_text(struct text *out, const char *words, bool of_property)
{
	for (; words && *words; words++) {
		if (*words == '%')
			text_add(out, "%25");
		else if (of_property && *words == ':')
			text_add(out, "%3A");
		else if (of_property && *words == ',')
			text_add(out, "%2C");
		else
			text_add_bytes(out, words, 1);
	}
}

void diff_github(struct text *out, const struct diff_page *page)
{
	for (size_t i = 0; i < page->nr_limits; i++) {
		const struct limit_result *result = &page->limits[i];
		const struct profile_place *place = place_of(page, result);
		bool fails = result->limit->effect == LIMIT_FAIL;

		text_printf(out, "::%s ", !is_bad(result) ? "notice" : fails ? "error" : "warning");
		if (place) {
			text_add(out, "file=");
			add_command_text(out, plain(out, place->file), true);
			text_printf(out, ",line=%d,", place->line);
		}
		text_add(out, "title=memsearch::");
		add_command_text(out, plain(out, diff_limit(out, page, result)), false);
		text_add(out, "\n");
	}
}

/* ------------------------------------------------------------------ SARIF */

static void sarif_text(struct json *json, const char *key, const char *text)
{
	json_open(json, key, '{');
	json_string(json, "text", text);
	json_close(json);
}

static void sarif_rules(struct json *json, const struct diff_page *page)
{
	json_open(json, "rules", '[');
	for (size_t i = 0; i < page->nr_limits; i++) {
		json_open(json, NULL, '{');
		json_string(json, "id", page->limits[i].limit->text);
		sarif_text(json, "shortDescription", page->limits[i].limit->text);
		json_close(json);
	}
	json_close(json);
}

static void sarif_result(struct json *json, struct text *out, const struct diff_page *page, const struct limit_result *result, size_t rule)
{
	const struct profile_place *place = place_of(page, result);

	json_open(json, NULL, '{');
	json_string(json, "ruleId", result->limit->text);
	json_unsigned(json, "ruleIndex", rule);
	json_string(json, "level", result->limit->effect == LIMIT_FAIL ? "error" : "warning");
	sarif_text(json, "message", diff_limit(out, page, result));
	json_open(json, "locations", '[');
	if (place) {
		json_open(json, NULL, '{');
		json_open(json, "physicalLocation", '{');
		json_open(json, "artifactLocation", '{');
		json_string(json, "uri", place->file);
		json_close(json);
		json_open(json, "region", '{');
		json_unsigned(json, "startLine", (uint64_t)place->line);
		json_close(json);
		json_close(json);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

void diff_sarif(struct text *out, const struct diff_page *page)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_string(&json, "version", "2.1.0");
	json_open(&json, "runs", '[');
	json_open(&json, NULL, '{');
	json_open(&json, "tool", '{');
	json_open(&json, "driver", '{');
	json_string(&json, "name", "memsearch");
	json_string(&json, "version", MEMSEARCH_VERSION);
	sarif_rules(&json, page);
	json_close(&json);
	json_close(&json);
	json_open(&json, "results", '[');
	for (size_t i = 0; i < page->nr_limits; i++)
		if (is_bad(&page->limits[i]))
			sarif_result(&json, out, page, &page->limits[i], i);
	json_close(&json);
	json_close(&json);
	json_close(&json);
	json_close(&json);
}
