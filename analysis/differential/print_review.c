/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comparison for code reviews: Markdown for a pull request, workflow commands and SARIF
 * (review.h). The last two say only which limits were exceeded.
 */
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/print.h"
#include "analysis/report/review.h"
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

static void markdown_row(struct text *out, const struct diff_page *page,
			 const struct difference *row)
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
	static const char *const marks[] = { [LIMIT_KEPT] = "",
					     [LIMIT_EXCEEDED] = "**",
					     [LIMIT_UNCERTAIN] = "",
					     [LIMIT_UNMEASURED] = "**" };

	for (size_t i = 0; i < page->nr_limits; i++) {
		const struct limit_result *result = &page->limits[i];

		text_printf(out, "- %s%s%s: ", marks[result->state],
			    result->limit->effect == LIMIT_FAIL ? "fail" : "warn",
			    marks[result->state]);
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
static bool is_another(const struct difference *const *rows, size_t nr,
		       const struct difference *row)
{
	for (size_t i = 0; i < nr; i++)
		if (rows[i]->place == row->place && rows[i]->array == row->array &&
		    rows[i]->part == row->part)
			return false;
	return true;
}

static void markdown_table(struct text *out, const struct diff_page *page)
{
	size_t most = page->most ? page->most : page->comparison->nr, nr = 0;
	const struct difference **rows = arena_alloc(out->arena,
						     (page->comparison->nr + 1) * sizeof(*rows));

	for (size_t i = 0; rows && i < page->comparison->nr && nr < most; i++) {
		const struct difference *row = &page->comparison->rows[i];

		if (!verdict_is_difference(row->verdict) ||
		    ((row->small || row->slight) && !page->all) || !diff_is_listed(page, row) ||
		    !is_another(rows, nr, row))
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

/* ------------------------------------------------------------------ places of messages */

/* In the source, else in the limits file. Path NULL: nowhere. */
struct spot {
	const char *path;
	unsigned int line;
};

static struct spot spot_of(struct text *out, const struct diff_page *page,
			   const struct limit_result *result)
{
	const struct difference *row = result->part ? result->part : result->worst;
	const struct matched_place *place = row ? &page->comparison->match->places[row->place]
						: NULL;
	const struct profile_place *source = place ? place->of[MATCH_NEW] : NULL;
	const char *path;

	if (!source || source->line <= 0 || !*source->file)
		return (struct spot){ result->limit->path ? plain(out, result->limit->path) : NULL,
				      result->limit->line };
	path = page->path ? page->path(out->arena, source->file) : NULL;
	return (struct spot){ plain(out, path ? path : source->file), (unsigned int)source->line };
}

static bool is_bad(const struct limit_result *result)
{
	return result->state == LIMIT_EXCEEDED || result->state == LIMIT_UNMEASURED;
}

static enum review_level level_of(const struct limit_result *result)
{
	if (!is_bad(result))
		return REVIEW_NOTE;
	return result->limit->effect == LIMIT_FAIL ? REVIEW_ERROR : REVIEW_WARNING;
}

/* Each limit is a rule. Those of which the result is uncertain are left out unless `uncertain`. */
static struct review review_of(struct text *out, const struct diff_page *page, bool uncertain)
{
	struct review_rule *rules = arena_alloc(out->arena, (page->nr_limits + 1) * sizeof(*rules));
	struct review_message *messages = arena_alloc(out->arena,
						      (page->nr_limits + 1) * sizeof(*messages));
	size_t nr = 0;

	if (!rules || !messages)
		return (struct review){ NULL, 0, NULL, 0 };
	for (size_t i = 0; i < page->nr_limits; i++) {
		const struct limit_result *result = &page->limits[i];
		struct spot spot = spot_of(out, page, result);

		rules[i] = (struct review_rule){ result->limit->text, result->limit->text, NULL };
		if (is_bad(result) || (uncertain && result->state != LIMIT_KEPT))
			messages[nr++] = (struct review_message){
				.rule = i,
				.level = level_of(result),
				.path = spot.path,
				.line = spot.line,
				.rank = NAN,
				.text = diff_limit(out, page, result),
			};
	}
	return (struct review){ rules, page->nr_limits, messages, nr };
}

void diff_github(struct text *out, const struct diff_page *page)
{
	struct review review = review_of(out, page, true);

	review_github(out, &review);
}

void diff_sarif(struct text *out, const struct diff_page *page)
{
	struct review review = review_of(out, page, false);

	review_sarif(out, &review);
}
