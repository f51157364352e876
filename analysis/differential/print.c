/* SPDX-License-Identifier: Apache-2.0 */
/* What all formats of a comparison share. */
#include "analysis/differential/print.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

/* part of a region's difference in an inner one, from which on only that is listed */
#define EXPLAINED 0.9

static const struct {
	const char *name;
	diff_writer *write;
} formats[] = {
	{ "text", diff_text },         { "json", diff_json },     { "csv", diff_csv },
	{ "markdown", diff_markdown }, { "github", diff_github }, { "sarif", diff_sarif },
};

diff_writer *diff_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return formats[i].write;
	return NULL;
}

bool diff_is_listed(const struct diff_page *page, const struct difference *row)
{
	const struct matched_place *place = &page->comparison->match->places[row->place];
	bool of_caller =
		(place->of[MATCH_NEW] ? place->of[MATCH_NEW] : place->of[MATCH_BASE])->kind ==
		MS_SUB_REGION;
	bool of_region = row->array == PROFILE_NONE && row->part == PROFILE_NONE && !of_caller;

	switch (page->by) {
	case DIFF_BY_REGION: return of_region;
	case DIFF_BY_ARRAY:
		return row->part == PROFILE_NONE &&
		       (row->array != PROFILE_NONE || !compared_is_of_data(row->metric));
	case DIFF_BY_LINE:
	case DIFF_BY_INSTRUCTION:
		return row->part != PROFILE_NONE ||
		       (of_region && !compared_is_of_data(row->metric));
	case DIFF_BY_CALLER: return of_caller;
	case DIFF_BY_THREAD: return row->part != PROFILE_NONE;
	default: return false;
	}
}

/*
 * Whether something that a list would have is not known: of recorded and simulated values, or of
 * others.
 */
static bool any_unknown(const struct diff_page *page, bool of_data)
{
	const struct comparison *comparison = page->comparison;

	for (size_t i = 0; i < comparison->nr + comparison->nr_totals; i++) {
		const struct difference *row = i < comparison->nr
						       ? &comparison->rows[i]
						       : &comparison->totals[i - comparison->nr];
		bool listed = i >= comparison->nr || diff_is_listed(page, row);

		if (listed && row->verdict == VERDICT_UNKNOWN && !row->small &&
		    compared_is_of_data(row->metric) == of_data)
			return true;
	}
	return false;
}

const char *diff_nothing(const struct diff_page *page)
{
	if (any_unknown(page, true))
		return "No difference is proven.";
	return any_unknown(page, false)
		       ? "No difference of recorded and simulated accesses; of the rest none is proven."
		       : "No difference.";
}

const char *diff_place(const struct comparison *comparison, uint32_t place)
{
	const struct matched_place *of = &comparison->match->places[place];

	return of->of[MATCH_NEW] ? of->of[MATCH_NEW]->words : of->of[MATCH_BASE]->words;
}

bool diff_explains(const struct match *match, const struct difference *inner,
		   const struct difference *outer)
{
	if (outer->place == inner->place || outer->metric != inner->metric ||
	    outer->array != inner->array || outer->part != inner->part)
		return false;
	return fabs(inner->share) >= EXPLAINED * fabs(outer->share) &&
	       match_is_inside(match, inner->place, outer->place);
}

static const char *part_words(struct arena *arena, const struct diff_page *page,
			      const struct difference *row)
{
	const struct match *match = page->comparison->match;
	const struct profile_part *part;

	if (row->part == PROFILE_NONE)
		return NULL;
	if (page->by == DIFF_BY_THREAD)
		return arena_printf(arena, "thread %u", row->part);
	part = match->parts[row->part].of[MATCH_NEW] ? match->parts[row->part].of[MATCH_NEW]
						     : match->parts[row->part].of[MATCH_BASE];
	if (!part->line)
		return arena_printf(arena, "%s+0x%llx", *part->function ? part->function : "code",
				    (unsigned long long)part->offset);
	if (page->by == DIFF_BY_INSTRUCTION && !page->brief)
		return arena_printf(arena, "%s:%d (0x%llx)", part->file, part->line,
				    (unsigned long long)part->offset);
	return arena_printf(arena, "%s:%d", part->file, part->line);
}

const char *diff_where(struct text *out, const struct diff_page *page, const struct difference *row)
{
	const char *place = diff_place(page->comparison, row->place),
		   *array = match_array_words(page->comparison->match, row->array);
	const char *part = part_words(out->arena, page, row), *text = place;

	if (array && part)
		text = arena_printf(out->arena, "%s at %s, in the %s", array, part, place);
	else if (array || part)
		text = arena_printf(out->arena,
				    part && page->by == DIFF_BY_THREAD ? "%s, in the %s"
								       : "%s in the %s",
				    array ? array : part, place);
	return text ? text : place;
}

static void add_values(struct text *text, const struct difference *row)
{
	const char *unit = compared_metric(row->metric)->unit;

	units_value(text, row->mean[MATCH_BASE], unit);
	text_add(text, " -> ");
	units_value(text, row->mean[MATCH_NEW], unit);
}

static void add_change(struct text *text, double change)
{
	if (isfinite(change))
		text_printf(text, " (%+.*f %%)", fabs(change) < 0.0995 ? 1 : 0, 100 * change);
	else if (isinf(change))
		text_add(text, " (from none)");
}

const char *diff_limit(struct text *out, const struct diff_page *page,
		       const struct limit_result *result)
{
	static const char *const states[] = { [LIMIT_KEPT] = "kept",
					      [LIMIT_EXCEEDED] = "exceeded",
					      [LIMIT_UNCERTAIN] = "cannot tell",
					      [LIMIT_UNMEASURED] = "not measured" };
	const struct limit *limit = result->limit;
	struct text text;

	text_init(&text, out->arena);
	text_printf(&text, "%s: %s", limit->text, states[result->state]);
	if (result->worst && result->state != LIMIT_UNMEASURED) {
		text_add(&text, ": ");
		if (limit->region && !*limit->region)
			text_add_plain(&text, limit->array);
		else
			text_add_plain(&text, limit->region ? diff_where(out, page, result->worst)
							    : diff_place(page->comparison,
									 result->worst->place));
		text_printf(&text, ", %s ", compared_metric(result->worst->metric)->heading);
		add_values(&text, result->worst);
		add_change(&text, result->change);
	}
	if (result->state == LIMIT_EXCEEDED && result->part) {
		text_printf(&text, "; most of it %s: ", diff_where(out, page, result->part));
		add_values(&text, result->part);
	}
	if (result->why)
		text_printf(&text, ": %s", result->why);
	return text.bytes;
}
