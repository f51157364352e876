/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of differences: their notation, and whether they are kept. */
#include "analysis/differential/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"

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
		return arena_printf(arena, "'%s': a number such as +5%% or 250000 stands behind >",
				    limit->text);
	if (*end == '%' && limit->relative) {
		limit->most /= 100;
		end++;
	} else if (limit->relative || *end == '%') {
		return arena_printf(arena,
				    "'%s': a change is written +5%%, a value without sign and %%",
				    limit->text);
	}
	if (*end)
		return arena_printf(arena, "'%s': '%s' behind the number", limit->text, end);
	if (limit->relative && limit->most < 0)
		return arena_printf(arena, "'%s': a limit below 0 %% is always exceeded",
				    limit->text);
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

const char *limit_parse(struct arena *arena, struct limits *limits, const char *text,
			enum limit_effect effect, const char *where)
{
	struct limit limit = { .text = arena_strdup(arena, text),
			       .where = where,
			       .effect = effect };
	char *copy = arena_strdup(arena, text), *greater, *colon;
	const char *wrong;

	if (!copy || !limit.text)
		return "out of memory";
	greater = strrchr(copy, '>');
	if (!greater)
		return arena_printf(arena, "'%s': a limit is METRIC[:REGION[/ARRAY]]>+N%% or >N",
				    text);
	*greater = '\0';
	colon = strchr(copy, ':');
	if (colon)
		*colon = '\0';
	limit.metric = copy;
	if (!is_metric(copy))
		return arena_printf(
			arena,
			"'%s': unknown metric '%s'; `memsearch diff --format csv` prints those of two runs",
			text, copy);
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

static const char *parse_line(struct arena *arena, struct limits *limits, const char *line,
			      const char *path, unsigned int number)
{
	const char *where = arena_printf(arena, "%s:%u", path, number);
	size_t word = strcspn(line, " \t");
	bool fails = word == 4 && !memcmp(line, "fail", 4),
	     warns = word == 4 && !memcmp(line, "warn", 4);
	const char *wrong;

	if (!fails && !warns)
		return arena_printf(arena, "%s: a line begins with fail or warn, not '%.*s'", where,
				    (int)(word < 40 ? word : 40), line);
	wrong = limit_parse(arena, limits, line + word + strspn(line + word, " \t"),
			    fails ? LIMIT_FAIL : LIMIT_WARN, where);
	if (wrong)
		return arena_printf(arena, "%s: %s", where, wrong);
	limits->items[limits->nr - 1].path = path;
	limits->items[limits->nr - 1].line = number;
	return NULL;
}

const char *limits_parse(struct arena *arena, struct limits *limits, const char *path,
			 const char *text, size_t length)
{
	const char *wrong = NULL, *end = text + length;
	size_t before = limits->nr;

	for (unsigned int number = 1; text < end && !wrong; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)),
			   *stop = newline ? newline : end;
		char *line;

		while (text < stop && (*text == ' ' || *text == '\t'))
			text++;
		while (stop > text && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
			stop--;
		if (memchr(text, '\0', (size_t)(stop - text)))
			return arena_printf(
				arena, "%s:%u: no text; lines are such as: fail l2_misses>+5%%",
				path, number);
		line = arena_strndup(arena, text, (size_t)(stop - text));
		if (!line)
			return "out of memory";
		if (*line && *line != '#')
			wrong = parse_line(arena, limits, line, path, number);
		text = newline ? newline + 1 : end;
	}
	return wrong || limits->nr > before
		       ? wrong
		       : arena_printf(arena,
				      "'%s' has no limit; lines are such as: fail l2_misses>+5%%",
				      path);
}

/* ------------------------------------------------------------------ rows that a limit is about */

/*
 * A limit with the metric that it is about: of those of one name that the CPU counted and that were
 * simulated the simulated one, if both sides have it.
 */
struct check {
	const struct limit *limit;
	const struct comparison *comparison;
	uint32_t metric;
};

static size_t rows_nr(const struct comparison *comparison)
{
	return comparison->nr + comparison->nr_totals;
}

static int preference(const struct difference *row)
{
	return (row->nr[MATCH_BASE] && row->nr[MATCH_NEW] ? 2 : 0) +
	       (compared_metric(row->metric)->rung == MS_RUNG_SIMULATED ? 1 : 0);
}

/* COMPARED_NONE: no run has it. */
static uint32_t metric_of(const struct limit *limit, const struct comparison *comparison)
{
	const struct difference *best = NULL;

	for (size_t i = 0; i < rows_nr(comparison); i++) {
		const struct difference *row = comparison_row(comparison, i);

		if (compared_is_named(row->metric, limit->metric, strlen(limit->metric)) &&
		    (!best || preference(row) > preference(best)))
			best = row;
	}
	return best ? best->metric : COMPARED_NONE;
}

static bool is_place(const struct profile_place *place, const char *region)
{
	const char *colon = strrchr(region, ':');

	if (!strcmp(region, place->function))
		return true;
	return colon && strlen(place->file) == (size_t)(colon - region) &&
	       !strncmp(place->file, region, strlen(place->file)) && atoi(colon + 1) == place->line;
}

/* By its name on either side. Callers are no regions. */
static bool is_of_place(const struct check *check, uint32_t number)
{
	const struct matched_place *place = &check->comparison->match->places[number];
	const char *region = check->limit->region;
	bool any = !*region || !strcmp(region, "*"), found = false;

	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		found |= place->of[side] && place->of[side]->kind != MS_SUB_REGION &&
			 (any || is_place(place->of[side], region));
	return found;
}

static bool is_of_array(const struct check *check, uint32_t number)
{
	const struct matched_array *of = number == PROFILE_NONE
						 ? NULL
						 : &check->comparison->match->arrays[number];
	const char *array = check->limit->array;
	bool found = false;

	if (!array || !of)
		return !array && !of;
	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		found |= of->of[side] && (!strcmp(of->of[side]->name, array) ||
					  !strcmp(of->of[side]->words, array));
	return found;
}

/* Lines, instructions and threads have no limits. */
static bool is_of(const struct check *check, const struct difference *row)
{
	return row->metric == check->metric && row->part == PROFILE_NONE &&
	       is_of_array(check, row->array) && is_of_place(check, row->place);
}

/* ------------------------------------------------------------------ whether they are kept */

/* By how much the new side exceeds what its work explains. */
static double change_of(const struct comparison *comparison, const struct difference *row)
{
	const double *work = comparison->options.work;
	double base = row->nr[MATCH_BASE] ? row->mean[MATCH_BASE] : 0,
	       expected = base * work[MATCH_NEW] / work[MATCH_BASE];
	double new = row->nr[MATCH_NEW] ? row->mean[MATCH_NEW] : 0;

	if (expected > 0)
		return new / expected - 1;
	return new > 0 ? INFINITY : 0;
}

/*
 * The state of a limit whose row has no verdict. Values that one run on a side proves, if both
 * sides recorded the same, count as unmeasured; all others as uncertain.
 */
static enum limit_state state_of_unknown(const struct limit *limit, const struct difference *row,
					 bool beyond)
{
	if (!beyond && (row->small || difference_interval(row).high < 1 + limit->most))
		return LIMIT_KEPT;
	return compared_is_of_data(row->metric) && isnan(row->detectable) && !row->small
		       ? LIMIT_UNMEASURED
		       : LIMIT_UNCERTAIN;
}

static enum limit_state state_of(const struct limit *limit, const struct difference *row,
				 double change)
{
	bool beyond = limit->relative ? change > limit->most : row->mean[MATCH_NEW] > limit->most;

	if (row->lacking)
		return LIMIT_UNMEASURED;
	if (!limit->relative && row->nr[MATCH_NEW])
		return beyond ? LIMIT_EXCEEDED : LIMIT_KEPT;
	if (row->verdict == VERDICT_UNKNOWN)
		return state_of_unknown(limit, row, beyond);
	return beyond && verdict_is_difference(row->verdict) ? LIMIT_EXCEEDED : LIMIT_KEPT;
}

static int gravity(enum limit_state state)
{
	static const int of[] = { [LIMIT_KEPT] = 0,
				  [LIMIT_UNCERTAIN] = 1,
				  [LIMIT_UNMEASURED] = 2,
				  [LIMIT_EXCEEDED] = 3 };

	return of[state];
}

/*
 * Of rows in the same state that with the largest change, or value; of equal ones the region inside
 * of the other.
 */
static bool is_worse(const struct check *check, const struct limit_result *result,
		     const struct difference *row, enum limit_state state, double change)
{
	bool relative = check->limit->relative;
	double measure = relative ? change : row->mean[MATCH_NEW],
	       before = relative ? result->change : result->worst->mean[MATCH_NEW];

	if (gravity(state) != gravity(result->state))
		return gravity(state) > gravity(result->state);
	return measure > before ||
	       (!(measure < before) &&
		match_is_inside(check->comparison->match, row->place, result->worst->place));
}

/* The worst row decides: exceeded before not measured before uncertain before kept. */
static void take(const struct check *check, struct limit_result *result,
		 const struct difference *row)
{
	double change = change_of(check->comparison, row);
	enum limit_state state = state_of(check->limit, row, change);

	if (result->worst && !is_worse(check, result, row, state, change))
		return;
	result->worst = row;
	result->state = state;
	result->change = change;
	result->why = state == LIMIT_UNCERTAIN || state == LIMIT_UNMEASURED ? row->why : NULL;
}

/* ------------------------------------------------------------------ the part that is most of it */

/* Data structures before regions, and of equal regions the one inside of the other. */
static bool is_larger_part(const struct match *match, const struct difference *row,
			   const struct difference *best)
{
	if (!best || (row->array != PROFILE_NONE) != (best->array != PROFILE_NONE))
		return !best || row->array != PROFILE_NONE;
	return row->share > best->share ||
	       (!(row->share < best->share) && match_is_inside(match, row->place, best->place));
}

static bool is_caller(const struct match *match, uint32_t number)
{
	const struct matched_place *place = &match->places[number];

	return (place->of[MATCH_NEW] ? place->of[MATCH_NEW] : place->of[MATCH_BASE])->kind ==
	       MS_SUB_REGION;
}

/* Of the phase or a region. NULL: it has no part that differs. */
static const struct difference *largest_part(const struct comparison *comparison,
					     const struct difference *whole)
{
	const struct match *match = comparison->match;
	const struct difference *best = NULL;

	for (size_t i = 0; i < comparison->nr; i++) {
		const struct difference *row = &comparison->rows[i];

		if (row == whole || row->metric != whole->metric || row->part != PROFILE_NONE ||
		    !match_is_inside(match, row->place, whole->place) ||
		    is_caller(match, row->place))
			continue;
		if (verdict_is_difference(row->verdict) && row->share > 0 &&
		    is_larger_part(match, row, best))
			best = row;
	}
	return best;
}

/* ------------------------------------------------------------------ sums over regions */

/* What differs says nothing of the sum while another row is not known, but for small ones. */
static void join_verdict(struct difference *sum, const struct difference *row)
{
	bool unknown = row->verdict == VERDICT_UNKNOWN && (row->lacking || !row->small);

	if (sum->verdict == VERDICT_UNKNOWN || row->verdict == VERDICT_SAME ||
	    (row->verdict == VERDICT_UNKNOWN && !unknown))
		return;
	sum->verdict = row->verdict;
	sum->lacking = row->lacking;
	sum->why = row->why;
}

static void join(struct difference *sum, const struct difference *row)
{
	for (enum match_side side = 0; side < MATCH_SIDES; side++) {
		sum->mean[side] += row->nr[side] ? row->mean[side] : 0;
		sum->nr[side] = row->nr[side] > sum->nr[side] ? row->nr[side] : sum->nr[side];
	}
	join_verdict(sum, row);
}

/* Its rows are added up, which is exact where each is. NULL: there is none, or no memory. */
static const struct difference *add_up(struct arena *arena, const struct check *check)
{
	struct difference *sum = NULL;

	for (size_t i = 0; i < check->comparison->nr; i++) {
		const struct difference *row = &check->comparison->rows[i];

		if (!is_of(check, row))
			continue;
		if (!sum) {
			sum = arena_alloc(arena, sizeof(*sum));
			if (!sum)
				return NULL;
			*sum = (struct difference){ .place = row->place,
						    .array = row->array,
						    .part = PROFILE_NONE,
						    .metric = row->metric,
						    .verdict = VERDICT_SAME,
						    .share = NAN,
						    .p = NAN,
						    .detectable = NAN };
		}
		join(sum, row);
	}
	return sum;
}

/* ------------------------------------------------------------------ one limit */

static bool any_place(const struct check *check)
{
	for (uint32_t i = 0; i < check->comparison->match->nr_places; i++)
		if (is_of_place(check, i))
			return true;
	return false;
}

static bool any_array(const struct check *check)
{
	for (uint32_t i = 0; i < check->comparison->match->nr_arrays; i++)
		if (is_of_array(check, i))
			return true;
	return false;
}

static const char *why_nothing(struct arena *arena, const struct check *check)
{
	const struct limit *limit = check->limit;

	if (check->metric == COMPARED_NONE)
		return "no run has it: simulated metrics need recorded accesses (`memsearch run --overhead 100%`), counted ones the CPU's counters";
	if (limit->region && !any_place(check))
		return arena_printf(
			arena,
			"no region '%s' on either side: a region is a function, or file:line",
			limit->region);
	if (limit->array && !any_array(check))
		return arena_printf(
			arena,
			"no data structure '%s' on either side; `memsearch arrays` lists them",
			limit->array);
	return limit->array    ? "no recorded code accesses it there"
	       : limit->region ? "it was not measured there"
			       : "it was measured in no region";
}

static bool take_rows(const struct check *check, struct limit_result *result, bool small)
{
	bool any = false;

	for (size_t i = 0; i < check->comparison->nr; i++) {
		const struct difference *row = &check->comparison->rows[i];

		if (row->small != small || !is_of(check, row))
			continue;
		any = true;
		take(check, result, row);
	}
	return any;
}

/*
 * A limit of each region leaves out what is below the cut-off, as lists do; one that names a region
 * has nothing else there, perhaps.
 */
static void take_regions(const struct check *check, struct limit_result *result)
{
	struct limit_result small = *result;

	if (take_rows(check, result, false) || !take_rows(check, &small, true))
		return;
	if (strcmp(check->limit->region, "*") != 0)
		*result = small;
	else
		result->state = LIMIT_KEPT;
}

static void take_whole(const struct check *check, struct limit_result *result)
{
	for (size_t i = 0; i < check->comparison->nr_totals; i++)
		if (check->comparison->totals[i].metric == check->metric)
			take(check, result, &check->comparison->totals[i]);
}

static void check_limit(struct arena *arena, const struct limit *limit,
			const struct comparison *comparison, struct limit_result *result)
{
	const struct check check = { limit, comparison, metric_of(limit, comparison) };
	const struct difference *sum;

	*result = (struct limit_result){ .limit = limit, .state = LIMIT_UNMEASURED, .change = NAN };
	if (!limit->region) {
		take_whole(&check, result);
	} else if (*limit->region) {
		take_regions(&check, result);
	} else {
		sum = add_up(arena, &check);
		if (sum)
			take(&check, result, sum);
	}
	if (!result->worst && result->state == LIMIT_UNMEASURED)
		result->why = why_nothing(arena, &check);
	else if (result->worst && !limit->array)
		result->part = largest_part(comparison, result->worst);
}

struct limit_result *limits_check(struct arena *arena, const struct limits *limits,
				  const struct comparison *comparison)
{
	struct limit_result *results = arena_alloc(arena, (limits->nr + 1) * sizeof(*results));

	for (size_t i = 0; results && i < limits->nr; i++)
		check_limit(arena, &limits->items[i], comparison, &results[i]);
	return results;
}
