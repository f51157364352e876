/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comparison for code reviews: Markdown for a pull request, workflow commands that GitHub Actions shows at lines of a change, and SARIF 2.1.0 (OASIS) for
 * code scanning. The last two say only which limits were exceeded.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/print.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

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
	if (isnan(difference_ratio(row)))
		text_add(out, " | |\n");
	else
		text_printf(out, " | %.3g |\n", difference_ratio(row));
}

static void markdown_limits(struct text *out, const struct diff_page *page)
{
	static const char *const marks[] = { [LIMIT_KEPT] = "", [LIMIT_EXCEEDED] = "**", [LIMIT_UNCERTAIN] = "", [LIMIT_UNMEASURED] = "**" };

	for (size_t i = 0; i < page->nr_limits; i++) {
		const struct limit_result *result = &page->limits[i];

		text_printf(out, "- %s%s%s: ", marks[result->state], result->limit->effect == LIMIT_FAIL ? "fail" : "warn", marks[result->state]);
		add_escaped(out, plain(out, diff_limit(out, page, result)));
		text_add(out, "\n");
	}
	if (page->nr_limits)
		text_add(out, "\n");
}

static void markdown_head(struct text *out, const struct diff_page *page)
{
	text_add(out, "| | where | metric | ");
	add_escaped(out, plain(out, page->names[MATCH_BASE]));
	text_add(out, " | ");
	add_escaped(out, plain(out, page->names[MATCH_NEW]));
	text_add(out, " | ratio |\n|---|---|---|---:|---:|---:|\n");
}

/* Of each bucket the row that matters most, which comes first. */
static bool is_another(const struct difference *const *rows, size_t nr, const struct difference *row)
{
	for (size_t i = 0; i < nr; i++)
		if (rows[i]->place == row->place && rows[i]->array == row->array && rows[i]->part == row->part)
			return false;
	return true;
}

static void markdown_table(struct text *out, const struct diff_page *page)
{
	size_t most = page->most ? page->most : page->comparison->nr, nr = 0;
	const struct difference **rows = arena_alloc(out->arena, (page->comparison->nr + 1) * sizeof(*rows));

	for (size_t i = 0; rows && i < page->comparison->nr && nr < most; i++) {
		const struct difference *row = &page->comparison->rows[i];

		if (!verdict_is_difference(row->verdict) || ((row->small || row->slight) && !page->all) || !diff_is_listed(page, row) || !is_another(rows, nr, row))
			continue;
		if (!nr)
			markdown_head(out, page);
		markdown_row(out, page, row);
		rows[nr++] = row;
	}
	text_add_plain(out, nr ? "" : diff_nothing(page));
	text_add(out, "\n");
}

void diff_markdown(struct text *out, const struct diff_page *page)
{
	text_add(out, "### ");
	add_escaped(out, plain(out, page->title));
	text_add(out, "\n\n");
	markdown_limits(out, page);
	if (page->by != DIFF_BY_PROPERTY && page->by != DIFF_BY_CAUSE)
		markdown_table(out, page);
	for (size_t i = 0; i < page->warnings->nr; i++) {
		text_add(out, "\n> ");
		add_escaped(out, plain(out, page->warnings->items[i]));
		text_add(out, "\n");
	}
}

/* ------------------------------------------------------------------ where a limit's message stands */

/* In the source, else in the limits file. Path NULL: nowhere. */
struct spot { const char *path; unsigned int line; };

static struct spot spot_of(struct text *out, const struct diff_page *page, const struct limit_result *result)
{
	const struct difference *row = result->part ? result->part : result->worst;
	const struct matched_place *place = row ? &page->comparison->match->places[row->place] : NULL;
	const struct profile_place *source = place ? place->of[MATCH_NEW] : NULL;
	const char *path;

	if (!source || source->line <= 0 || !*source->file)
		return (struct spot){ result->limit->path ? plain(out, result->limit->path) : NULL, result->limit->line };
	path = page->path ? page->path(out->arena, source->file) : NULL;
	return (struct spot){ plain(out, path ? path : source->file), (unsigned int)source->line };
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
		struct spot spot = spot_of(out, page, result);
		bool fails = result->limit->effect == LIMIT_FAIL;

		if (result->state == LIMIT_KEPT)         /* GitHub shows ten annotations of a step */
			continue;
		text_printf(out, "::%s ", !is_bad(result) ? "notice" : fails ? "error" : "warning");
		if (spot.path) {
			text_add(out, "file=");
			add_command_text(out, spot.path, true);
			text_printf(out, ",line=%u,", spot.line);
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

/* RFC 3986: what is no letter, digit or one of -._~/ is escaped. */
static const char *uri_of(struct text *out, const char *path)
{
	static const char digits[] = "0123456789ABCDEF";
	struct text uri;

	text_init(&uri, out->arena);
	for (; *path; path++) {
		unsigned char byte = (unsigned char)*path;

		if (byte < 0x80 && (isalnum(byte) || strchr("-._~/", byte)))
			text_add_bytes(&uri, path, 1);
		else
			text_add_bytes(&uri, (char[]){ '%', digits[byte >> 4], digits[byte & 15] }, 3);
	}
	return uri.length ? uri.bytes : "";
}

static void sarif_location(struct json *json, struct text *out, struct spot spot)
{
	json_open(json, "locations", '[');
	json_open(json, NULL, '{');
	json_open(json, "physicalLocation", '{');
	json_open(json, "artifactLocation", '{');
	json_string(json, "uri", uri_of(out, spot.path));
	json_close(json);
	json_open(json, "region", '{');
	json_unsigned(json, "startLine", spot.line);
	json_close(json);
	json_close(json);
	json_close(json);
	json_close(json);
}

static const char *sarif_level(const struct limit_result *result)
{
	return result->limit->effect == LIMIT_FAIL ? "error" : "warning";
}

static void sarif_results(struct json *json, struct text *out, const struct diff_page *page)
{
	json_open(json, "results", '[');
	for (size_t i = 0; i < page->nr_limits; i++) {
		const struct limit_result *result = &page->limits[i];
		struct spot spot = spot_of(out, page, result);

		if (!is_bad(result) || !spot.path)
			continue;
		json_open(json, NULL, '{');
		json_string(json, "ruleId", result->limit->text);
		json_unsigned(json, "ruleIndex", i);
		json_string(json, "level", sarif_level(result));
		sarif_text(json, "message", diff_limit(out, page, result));
		sarif_location(json, out, spot);
		json_close(json);
	}
	json_close(json);
}

/* Code scanning refuses a file of which one result has no location: what has none is a notification. */
static void sarif_notifications(struct json *json, struct text *out, const struct diff_page *page)
{
	json_open(json, "invocations", '[');
	json_open(json, NULL, '{');
	json_bool(json, "executionSuccessful", true);
	json_open(json, "toolExecutionNotifications", '[');
	for (size_t i = 0; i < page->nr_limits; i++) {
		const struct limit_result *result = &page->limits[i];

		if (!is_bad(result) || spot_of(out, page, result).path)
			continue;
		json_open(json, NULL, '{');
		json_string(json, "level", sarif_level(result));
		sarif_text(json, "message", diff_limit(out, page, result));
		json_close(json);
	}
	json_close(json);
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
	sarif_notifications(&json, out, page);
	sarif_results(&json, out, page);
	json_close(&json);
	json_close(&json);
	json_close(&json);
}
