/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of differences: their notation, and whether they are kept. */
#include "analysis/differential/gate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/whole_file.h"
#include "analysis/differential/metrics.h"

#define FILE_BYTES (1 << 20)

/* ------------------------------------------------------------------ notation */

static bool is_metric(const char *name)
{
	for (uint32_t i = 0; i < compared_metrics_nr(); i++)
		if (compared_is_named(i, name, strlen(name)))
			return true;
	return false;
}

static const char *parse_number(struct arena *arena, struct limit *limit, const char *text)
{
	char *end;

	limit->relative = text[0] == '+' || text[0] == '-';
	limit->most = strtod(text, &end);
	if (end == text || !isfinite(limit->most))
		return arena_printf(arena, "'%s': a number such as +5%% or 250000 stands behind >", limit->text);
	if (*end == '%' && limit->relative) {
		limit->most /= 100;
		end++;
	} else if (limit->relative || *end == '%') {
		return arena_printf(arena, "'%s': a change is written +5%%, a value without sign and %%", limit->text);
	}
	if (*end)
		return arena_printf(arena, "'%s': '%s' behind the number", limit->text, end);
	if (limit->relative && limit->most < 0)
		return arena_printf(arena, "'%s': a limit below 0 %% is always exceeded", limit->text);
	return NULL;
}

/* "calc2", "calc2/unew", "/unew", "*", "*" with an array too. */
static const char *parse_region(struct arena *arena, struct limit *limit, char *text)
{
	char *slash = strrchr(text, '/');

	if (slash) {
		*slash = '\0';
		limit->array = slash + 1;
		if (!*limit->array)
			return arena_printf(arena, "'%s': no data structure behind /", limit->text);
	}
	limit->region = *text ? text : slash ? "" : NULL;
	return limit->region ? NULL : arena_printf(arena, "'%s': no region behind :", limit->text);
}

const char *limit_parse(struct arena *arena, struct limits *limits, const char *text, enum limit_effect effect, const char *where)
{
	struct limit limit = { .text = arena_strdup(arena, text), .where = where, .effect = effect };
	char *copy = arena_strdup(arena, text), *greater, *colon;
	const char *wrong;

	if (!copy || !limit.text)
		return "out of memory";
	greater = strrchr(copy, '>');
	if (!greater)
		return arena_printf(arena, "'%s': a limit is METRIC[:REGION[/ARRAY]]>+N%% or >N", text);
	*greater = '\0';
	colon = strchr(copy, ':');
	if (colon)
		*colon = '\0';
	limit.metric = copy;
	if (!is_metric(copy))
		return arena_printf(arena, "'%s': unknown metric '%s'; `memsearch diff --format csv` prints those of two runs", text, copy);
	wrong = parse_number(arena, &limit, greater + 1);
	if (!wrong && colon)
		wrong = parse_region(arena, &limit, colon + 1);
	if (wrong)
		return wrong;
	if (!ARENA_GROW(arena, limits->items, limits->nr, limits->room))
		return "out of memory";
	limits->items[limits->nr++] = limit;
	return NULL;
}

static const char *parse_line(struct arena *arena, struct limits *limits, const char *line, const char *where)
{
	size_t word = strcspn(line, " \t");
	bool fails = word == 4 && !memcmp(line, "fail", 4), warns = word == 4 && !memcmp(line, "warn", 4);
	const char *wrong;

	if (!fails && !warns)
		return arena_printf(arena, "%s: a line begins with fail or warn, not '%.*s'", where, (int)(word < 40 ? word : 40), line);
	wrong = limit_parse(arena, limits, line + word + strspn(line + word, " \t"), fails ? LIMIT_FAIL : LIMIT_WARN, where);
	return wrong ? arena_printf(arena, "%s: %s", where, wrong) : NULL;
}

const char *limits_parse(struct arena *arena, struct limits *limits, const char *path, const char *text, size_t length)
{
	const char *wrong = NULL, *end = text + length;

	for (unsigned int number = 1; text < end && !wrong; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;
		char *line;

		while (text < stop && (*text == ' ' || *text == '\t'))
			text++;
		while (stop > text && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
			stop--;
		if (memchr(text, '\0', (size_t)(stop - text)))
			return arena_printf(arena, "%s:%u: not a text", path, number);
		line = arena_strndup(arena, text, (size_t)(stop - text));
		if (!line)
			return "out of memory";
		if (*line && *line != '#')
			wrong = parse_line(arena, limits, line, arena_printf(arena, "%s:%u", path, number));
		text = newline ? newline + 1 : end;
	}
	return wrong;
}

const char *limits_read(struct arena *arena, struct limits *limits, const char *path)
{
	size_t length;
	const char *text = whole_file_read(arena, path, FILE_BYTES, &length);

	return text ? limits_parse(arena, limits, path, text, length) : arena_printf(arena, "cannot read '%s': %s", path, strerror(errno));
}

/* ------------------------------------------------------------------ whether they are kept */

static const struct profile_place *place_of(const struct comparison *comparison, uint32_t place)
{
	const struct matched_place *of = &comparison->match->places[place];

	return of->of[MATCH_NEW] ? of->of[MATCH_NEW] : of->of[MATCH_BASE];
}

static bool is_of_place(const struct limit *limit, const struct profile_place *place)
{
	size_t length = strlen(limit->region);
	const char *colon = strrchr(limit->region, ':');

	if (!length || !strcmp(limit->region, "*") || !strcmp(limit->region, place->function))
		return true;
	return colon && strlen(place->file) == (size_t)(colon - limit->region) && !strncmp(place->file, limit->region, strlen(place->file)) &&
	       atoi(colon + 1) == place->line;
}

static bool is_of_array(const struct limit *limit, const struct comparison *comparison, uint32_t array)
{
	const struct matched_array *of;

	if (!limit->array || array == PROFILE_NONE)
		return !limit->array;
	of = &comparison->match->arrays[array];
	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		if (of->of[side] && (!strcmp(of->of[side]->name, limit->array) || !strcmp(of->of[side]->words, limit->array)))
			return true;
	return false;
}

static bool is_of(const struct limit *limit, const struct comparison *comparison, const struct difference *row)
{
	if (!compared_is_named(row->metric, limit->metric, strlen(limit->metric)))
		return false;
	return is_of_place(limit, place_of(comparison, row->place)) && is_of_array(limit, comparison, row->array);
}

/* By how much the new side exceeds what its work explains. */
static double change_of(const struct comparison *comparison, const struct difference *row)
{
	const double *work = comparison->options.work;
	double base = row->nr[MATCH_BASE] ? row->mean[MATCH_BASE] : 0, expected = base * work[MATCH_NEW] / work[MATCH_BASE];
	double new = row->nr[MATCH_NEW] ? row->mean[MATCH_NEW] : 0;

	if (expected > 0)
		return new / expected - 1;
	return new > 0 ? INFINITY : 0;
}

static enum limit_state state_of(const struct limit *limit, const struct difference *row, double change)
{
	bool beyond = limit->relative ? change > limit->most : row->mean[MATCH_NEW] > limit->most;

	if (!limit->relative && row->nr[MATCH_NEW])
		return beyond ? LIMIT_EXCEEDED : LIMIT_KEPT;
	if (row->verdict == VERDICT_UNKNOWN && (isnan(row->mean[MATCH_BASE]) || isnan(row->mean[MATCH_NEW])))
		return LIMIT_UNMEASURED;
	if (row->verdict == VERDICT_UNKNOWN)
		return beyond || !(difference_interval(row).high < 1 + limit->most) ? LIMIT_UNCERTAIN : LIMIT_KEPT;
	return beyond && verdict_is_difference(row->verdict) ? LIMIT_EXCEEDED : LIMIT_KEPT;
}

static int gravity(enum limit_state state)
{
	return state == LIMIT_EXCEEDED ? 3 : state == LIMIT_UNMEASURED ? 0 : state == LIMIT_UNCERTAIN ? 2 : 1;
}

/* The worst row decides: exceeded before uncertain before kept; what was not measured only if there is nothing else. */
static void take(struct limit_result *result, const struct comparison *comparison, const struct difference *row)
{
	double change = change_of(comparison, row);
	enum limit_state state = state_of(result->limit, row, change);

	if (result->worst && (gravity(state) < gravity(result->state) || (gravity(state) == gravity(result->state) && !(change > result->change))))
		return;
	result->worst = row;
	result->state = state;
	result->change = change;
	result->why = state == LIMIT_UNCERTAIN || state == LIMIT_UNMEASURED ? row->why : NULL;
}

static bool is_larger_part(const struct difference *row, const struct difference *best)
{
	if (!best || (row->array != PROFILE_NONE) != (best->array != PROFILE_NONE))
		return !best || row->array != PROFILE_NONE;
	return row->share > best->share;
}

/* Of a data structure, if there is one; else of a region. */
static const struct difference *largest_part(const struct comparison *comparison, uint32_t metric)
{
	const struct difference *best = NULL;

	for (size_t i = 0; i < comparison->nr; i++) {
		const struct difference *row = &comparison->rows[i];

		if (row->metric == metric && row->part == PROFILE_NONE && verdict_is_difference(row->verdict) && row->share > 0 && is_larger_part(row, best))
			best = row;
	}
	return best;
}

/* A data structure in all regions: its rows are added up, which is exact where each is. */
static const struct difference *add_up(struct arena *arena, const struct limit *limit, const struct comparison *comparison)
{
	struct difference *sum = NULL;

	for (size_t i = 0; i < comparison->nr; i++) {
		const struct difference *row = &comparison->rows[i];

		if (!is_of(limit, comparison, row))
			continue;
		if (!sum) {
			sum = arena_alloc(arena, sizeof(*sum));
			if (!sum)
				return NULL;
			*sum = *row;
			continue;
		}
		for (enum match_side side = 0; side < MATCH_SIDES; side++)
			sum->mean[side] += isnan(row->mean[side]) ? 0 : row->mean[side];
		if (verdict_is_difference(row->verdict) || (row->verdict == VERDICT_UNKNOWN && sum->verdict == VERDICT_SAME)) {
			sum->verdict = row->verdict;
			sum->why = row->why;
		}
	}
	return sum;
}

static void check_limit(struct arena *arena, const struct limit *limit, const struct comparison *comparison, struct limit_result *result)
{
	bool whole = !limit->region;
	size_t nr = whole ? comparison->nr_totals : comparison->nr;

	*result = (struct limit_result){ .limit = limit, .state = LIMIT_UNMEASURED, .change = NAN };
	if (!whole && !*limit->region) {
		const struct difference *sum = add_up(arena, limit, comparison);

		if (sum)
			take(result, comparison, sum);
	} else {
		for (size_t i = 0; i < nr; i++) {
			const struct difference *row = whole ? &comparison->totals[i] : &comparison->rows[i];

			if (whole ? compared_is_named(row->metric, limit->metric, strlen(limit->metric)) : is_of(limit, comparison, row))
				take(result, comparison, row);
		}
	}
	if (result->worst && whole)
		result->part = largest_part(comparison, result->worst->metric);
	if (!result->worst)
		result->why = limit->array ? "no recorded code accesses such a data structure there, or the metric was not measured" :
			      whole ? "it was measured on neither side" : "there is no such region, or the metric was not measured in it";
}

struct limit_result *limits_check(struct arena *arena, const struct limits *limits, const struct comparison *comparison)
{
	struct limit_result *results = arena_alloc(arena, (limits->nr + 1) * sizeof(*results));

	for (size_t i = 0; results && i < limits->nr; i++)
		check_limit(arena, &limits->items[i], comparison, &results[i]);
	return results;
}
