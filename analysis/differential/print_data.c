/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comparison for machines: JSON, schema "memsearch-diff-1", and CSV, one row a bucket and metric.
 */
#include <math.h>

#include "analysis/differential/metrics.h"
#include "analysis/differential/print.h"
#include "analysis/report/emitter.h"
#include "analysis/report/json.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"

static const char *const sides[MATCH_SIDES] = { "base", "new" };

/* NAN: none. The bound of saturations is of one metric. */
static double combined_of(const struct diff_page *page, const struct difference *row)
{
	struct combined combined = difference_combined(page->comparison, row);
	bool bounded = combine_ascending(page->comparison->options.function) &&
		       row->metric != page->metric;

	return combined.valid && !bounded ? combined.value : NAN;
}

struct row {
	struct text *out;
	const struct diff_page *page;
	const struct difference *of;
	const struct compared_metric *metric;
	struct interval interval;
};

static struct row row_of(struct text *out, const struct diff_page *page,
			 const struct difference *of)
{
	return (struct row){ out, page, of, compared_metric(of->metric),
			     difference_known_interval(of) };
}

/* clang-format off */
#define DIFFERENCE_FIELDS(X) \
	X(STRING, "verdict", "verdict", NULL, NULL, verdict_name(row->of->verdict)) \
	X(STRING, NULL, "region", NULL, NULL, diff_place(row->page->comparison, row->of->place)) \
	X(STRING, NULL, "data_structure", NULL, NULL, match_array_words(row->page->comparison->match, row->of->array)) \
	X(STRING, NULL, "where", NULL, NULL, diff_where(row->out, row->page, row->of)) \
	X(STRING, "metric", "metric", NULL, NULL, row->metric->name) \
	X(STRING, "rung", "rung", NULL, NULL, ms_rung_name(row->metric->rung)) \
	X(STRING, "unit", "unit", NULL, NULL, row->metric->unit) \
	X(NUMBER, NULL, "base", NULL, NULL, row->of->mean[MATCH_BASE]) \
	X(NUMBER, NULL, "new", NULL, NULL, row->of->mean[MATCH_NEW]) \
	X(NUMBER, "ratio", "ratio", NULL, NULL, difference_ratio(row->of)) \
	X(NUMBER, "ratio_low", "ratio_low", NULL, NULL, row->interval.low) \
	X(NUMBER, "ratio_high", "ratio_high", NULL, NULL, row->interval.high) \
	X(NUMBER, "steps_ratio_low", NULL, NULL, NULL, row->of->of_steps ? row->of->of_steps->low : NAN) \
	X(NUMBER, "steps_ratio_high", NULL, NULL, NULL, row->of->of_steps ? row->of->of_steps->high : NAN) \
	X(NUMBER, "combined", "combined", NULL, NULL, combined_of(row->page, row->of)) \
	X(STRING, "combined_why", NULL, NULL, NULL, difference_combined(row->page->comparison, row->of).why) \
	X(NUMBER, "share_of_total", "share_of_total", NULL, NULL, row->of->share) \
	X(NUMBER, "p", "p", NULL, NULL, row->of->p) \
	X(STRING, "why", "why", NULL, NULL, row->of->why) \
	X(BOOL, "exact", NULL, NULL, NULL, row->of->exact) \
	X(NUMBER, "detectable", NULL, NULL, NULL, row->of->detectable) \
	X(BOOL, "small", NULL, NULL, NULL, row->of->small)
/* clang-format on */
EMIT_LIST(difference_fields, struct row, DIFFERENCE_FIELDS)

static void json_values(struct json *json, const struct difference *row)
{
	for (enum match_side side = 0; side < MATCH_SIDES; side++) {
		json_open(json, sides[side], '{');
		json_number(json, "mean", row->mean[side]);
		json_open(json, "runs", '[');
		for (size_t i = 0; i < row->nr[side]; i++)
			json_number(json, NULL, difference_values(row, side)[i]);
		json_close(json);
		json_close(json);
	}
}

static void json_place(struct json *json, const struct diff_page *page, uint32_t number)
{
	const struct matched_place *place = &page->comparison->match->places[number];

	json_open(json, "region", '{');
	json_string(json, "place", diff_place(page->comparison, number));
	for (enum match_side side = 0; side < MATCH_SIDES; side++) {
		const struct profile_place *one = place->of[side];

		if (!one) {
			json_null(json, sides[side]);
			continue;
		}
		json_open(json, sides[side], '{');
		json_string(json, "kind", ms_region_kind_name(one->kind));
		json_string(json, "function", one->function);
		json_string(json, "file", one->file);
		json_unsigned(json, "line", (uint64_t)(one->line > 0 ? one->line : 0));
		json_string(json, "path", one->path);
		json_close(json);
	}
	json_close(json);
}

static void json_part(struct json *json, const struct diff_page *page, uint32_t number)
{
	const struct match *match = page->comparison->match;
	const struct profile_part *part;

	if (page->by == DIFF_BY_THREAD && number != PROFILE_NONE)
		json_unsigned(json, "thread", number);
	if (number == PROFILE_NONE || page->by == DIFF_BY_THREAD)
		return;
	part = match->parts[number].of[MATCH_NEW] ? match->parts[number].of[MATCH_NEW]
						  : match->parts[number].of[MATCH_BASE];
	json_open(json, "line", '{');
	json_string(json, "function", part->function);
	json_string(json, "file", part->file);
	json_unsigned(json, "line", (uint64_t)(part->line > 0 ? part->line : 0));
	if (part->offset)
		json_unsigned(json, "address", part->offset);
	json_close(json);
}

static void json_difference(struct json *json, const struct diff_page *page,
			    const struct difference *of, bool with_place)
{
	struct row row = row_of(json->out, page, of);

	json_open(json, NULL, '{');
	if (with_place) {
		json_place(json, page, of->place);
		json_string(json, "data_structure",
			    match_array_words(page->comparison->match, of->array));
		json_part(json, page, of->part);
	}
	json_values(json, of);
	emit_members(json, &difference_fields, &row);
	json_close(json);
}

static void json_properties(struct json *json, const struct diff_page *page)
{
	json_open(json, "properties", '[');
	for (size_t i = 0; i < page->properties->nr; i++) {
		const struct property_row *row = &page->properties->rows[i];

		json_open(json, NULL, '{');
		json_string(json, "property", row->property);
		json_string(json, "change", property_change_name(row->change));
		json_string(json, "place",
			    row->place == PROFILE_NONE ? NULL
						       : diff_place(page->comparison, row->place));
		json_string(json, "data_structure",
			    match_array_words(page->comparison->match, row->array));
		json_string(json, "value_name", row->value_name);
		json_string(json, "value_unit", row->value_unit);
		json_open(json, "values", '[');
		for (size_t k = 0; k < page->properties->nr_columns; k++) {
			json_open(json, NULL, '{');
			json_string(json, "runs", page->columns[k]);
			json_unsigned(json, "proven_in", row->cells[k].runs);
			json_unsigned(json, "not_answered_in", row->cells[k].open);
			json_number(json, "severity", row->cells[k].severity);
			json_number(json, "value", row->cells[k].value);
			json_close(json);
		}
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

static void json_growths(struct json *json, const struct diff_page *page)
{
	const struct growths *growths = page->growths;

	json_open(json, "growth", '[');
	for (size_t i = 0; i < growths->nr; i++) {
		const struct growth_row *row = &growths->rows[i];
		const struct matched_place *place = &page->growth_match->places[row->place];
		const struct matched_array *array =
			row->array == PROFILE_NONE ? NULL : &page->growth_match->arrays[row->array];

		json_open(json, NULL, '{');
		json_string(json, "metric", compared_metric(growths->metric)->name);
		json_string(json, "place",
			    (place->of[MATCH_NEW] ? place->of[MATCH_NEW] : place->of[MATCH_BASE])
				    ->words);
		json_string(json, "data_structure",
			    !array ? NULL
				   : (array->of[MATCH_NEW] ? array->of[MATCH_NEW]
							   : array->of[MATCH_BASE])
					     ->words);
		json_string(json, "class",
			    row->growth.valid ? fit_class_name(row->growth.class) : NULL);
		json_string(json, "why", row->growth.valid ? NULL : row->growth.why);
		json_number(json, "offset", row->growth.valid ? row->growth.offset : NAN);
		json_number(json, "factor", row->growth.valid ? row->growth.factor : NAN);
		json_number(json, "exponent", row->growth.valid ? row->growth.exponent : NAN);
		json_number(json, "error", row->growth.valid ? row->growth.error : NAN);
		json_number(json, "saturation", row->saturation.valid ? row->saturation.load : NAN);
		json_number(json, "saturation_low",
			    row->saturation.valid ? row->saturation.interval.low : NAN);
		json_number(json, "saturation_high",
			    row->saturation.valid ? row->saturation.interval.high : NAN);
		json_open(json, "loads", '[');
		for (size_t k = 0; k < growths->nr_columns; k++) {
			json_open(json, NULL, '{');
			json_number(json, "work", growths->works[k]);
			json_number(json, "mean", row->means[k]);
			json_close(json);
		}
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

static void json_resources(struct json *json, const struct diff_page *page)
{
	static const char *const kinds[] = { [PROFILE_BANDWIDTH] = "bandwidth",
					     [PROFILE_LOCK] = "lock",
					     [PROFILE_SERIAL] = "serial" };
	const struct resources *resources = page->resources;

	json_open(json, "resources", '[');
	for (size_t i = 0; i < resources->nr; i++) {
		const struct resource_row *row = &resources->rows[i];
		const struct matched_place *place = &page->growth_match->places[row->place];

		json_open(json, NULL, '{');
		json_string(json, "kind", kinds[row->kind]);
		json_string(json, "place",
			    (place->of[MATCH_NEW] ? place->of[MATCH_NEW] : place->of[MATCH_BASE])
				    ->words);
		json_open(json, "loads", '[');
		for (size_t k = 0; k < resources->nr_columns; k++) {
			json_open(json, NULL, '{');
			json_number(json, "work", resources->works[k]);
			json_number(json, "used", row->used[k]);
			json_number(json, "waited_ns",
				    row->kind == PROFILE_LOCK ? row->waited[k] : NAN);
			json_close(json);
		}
		json_close(json);
		json_number(json, "full", row->full.valid ? row->full.load : NAN);
		json_number(json, "full_low", row->full.valid ? row->full.interval.low : NAN);
		json_number(json, "full_high", row->full.valid ? row->full.interval.high : NAN);
		json_string(json, "why", row->full.valid ? NULL : row->full.why);
		json_close(json);
	}
	json_close(json);
}

static void json_limits(struct json *json, struct text *out, const struct diff_page *page)
{
	static const char *const states[] = { "kept", "exceeded", "uncertain", "not measured" };

	json_open(json, "limits", '[');
	for (size_t i = 0; i < page->nr_limits; i++) {
		const struct limit_result *one = &page->limits[i];

		json_open(json, NULL, '{');
		json_string(json, "limit", one->limit->text);
		json_string(json, "effect", one->limit->effect == LIMIT_FAIL ? "fail" : "warn");
		json_string(json, "state", states[one->state]);
		json_number(json, "change", one->change);
		json_string(json, "text", diff_limit(out, page, one));
		json_close(json);
	}
	json_close(json);
}

static bool is_in_data(const struct diff_page *page, const struct difference *row)
{
	return diff_is_listed(page, row) && (page->all || !(row->small || row->slight));
}

void diff_json(struct text *out, const struct diff_page *page)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "memsearch-diff-1");
	json_string(&json, "title", page->title);
	json_string(&json, "base", page->names[MATCH_BASE]);
	json_string(&json, "new", page->names[MATCH_NEW]);
	json_string(&json, "function", combine_name(page->comparison->options.function));
	json_string(&json, "function_why", page->function_why);
	json_number(&json, "level", page->comparison->options.level);
	json_open(&json, "totals", '[');
	for (size_t i = 0; i < page->comparison->nr_totals; i++)
		json_difference(&json, page, &page->comparison->totals[i], false);
	json_close(&json);
	json_open(&json, "differences", '[');
	for (size_t i = 0; i < page->comparison->nr; i++)
		if (is_in_data(page, &page->comparison->rows[i]))
			json_difference(&json, page, &page->comparison->rows[i], true);
	json_close(&json);
	json_growths(&json, page);
	json_resources(&json, page);
	json_properties(&json, page);
	json_limits(&json, out, page);
	json_open(&json, "warnings", '[');
	for (size_t i = 0; i < page->warnings->nr; i++)
		json_string(&json, NULL, page->warnings->items[i]);
	json_close(&json);
	json_close(&json);
}

static void csv_row(struct table *table, struct text *out, const struct diff_page *page,
		    const struct difference *of)
{
	struct row row = row_of(out, page, of);

	emit_cells(table, EMIT_CSV, &difference_fields, &row);
}

void diff_csv(struct text *out, const struct diff_page *page)
{
	static const struct emit_list *const lists[] = { &difference_fields, NULL };
	struct table table;

	emit_columns(&table, out->arena, EMIT_CSV, lists);
	for (size_t i = 0; i < page->comparison->nr_totals; i++)
		csv_row(&table, out, page, &page->comparison->totals[i]);
	for (size_t i = 0; i < page->comparison->nr; i++)
		if (is_in_data(page, &page->comparison->rows[i]))
			csv_row(&table, out, page, &page->comparison->rows[i]);
	table_print(out, &table, "csv");
}
