/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON input of Extra-P 4 (docs/file-formats.md of its sources, "JSON format", the newer one):
 * measurements by call path, metric and point, with the values of all runs of a point. "time" is
 * that of a node alone, "time (inc)" with all below it, where there is something. Extra-P refuses a
 * call path and metric without a value at some point: such series are left out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/export.h"
#include "analysis/differential/metrics.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"

struct parameter {
	const char *name;
	double *values; /* by run */
};

struct extrap {
	struct exports *exports;
	struct arena *arena;
	size_t nr_runs;
	struct parameter *parameters;
	size_t nr, room;
	/* by run: the first run with the same values of all parameters */
	size_t *points;
	const char *why; /* it cannot be written; NULL: it can */
};

/* ------------------------------------------------------------------ parameters */

static const struct profile *run_of(const struct extrap *extrap, size_t run)
{
	return extrap->exports->match->runs[run].profile;
}

/* Settings that are no conditions of a run, or follow from other settings. */
static bool is_no_parameter(const char *name)
{
	return !strcmp(name, SETTING_REPETITION) || !strcmp(name, SETTING_OVERSUBSCRIBED) ||
	       !strcmp(name, SETTING_ARGUMENTS);
}

static bool read_number(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && isfinite(*out);
}

/* `texts`: of each run. Values that do not differ are no parameter. */
static void add_parameter(struct extrap *extrap, const char *name, const char *const *texts)
{
	struct parameter parameter = { name, arena_alloc(extrap->arena,
							 extrap->nr_runs * sizeof(double)) };
	bool differs = false, numbers = parameter.values;

	for (size_t run = 0; run < extrap->nr_runs; run++) {
		differs |= strcmp(texts[run], texts[0]) != 0;
		numbers = numbers && read_number(texts[run], &parameter.values[run]);
	}
	if (!differs || extrap->why)
		return;
	if (!numbers)
		extrap->why = arena_printf(
			extrap->arena,
			"the runs differ in %s, which is no number in '%s': choose one behind @, such as @%s=%s",
			name, *texts[0] ? texts[0] : "none", name, texts[0]);
	else if (!ARENA_GROW(extrap->arena, extrap->parameters, extrap->nr, extrap->room))
		extrap->why = "out of memory";
	else
		extrap->parameters[extrap->nr++] = parameter;
}

static void add_settings(struct extrap *extrap, const char **texts)
{
	size_t nr;
	const char **names = export_settings(extrap->exports, &nr);

	for (size_t i = 0; i < nr && names; i++) {
		const char *name = names[i];

		if (is_no_parameter(name))
			continue;
		for (size_t run = 0; run < extrap->nr_runs; run++) {
			const char *value = profile_setting(run_of(extrap, run), name);

			texts[run] = value ? value : "";
		}
		add_parameter(extrap,
			      strncmp(name, SETTING_ENVIRONMENT, strlen(SETTING_ENVIRONMENT)) != 0
				      ? name
				      : name + strlen(SETTING_ENVIRONMENT),
			      texts);
	}
}

/* The n-th word of the arguments; "" where there are fewer. */
static const char *argument(const struct extrap *extrap, size_t run, size_t n)
{
	const char *at = run_of(extrap, run)->arguments;

	for (at += strspn(at, " "); *at && n; n--) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	return arena_strndup(extrap->arena, at, strcspn(at, " "));
}

/* Words of the arguments that differ: "argument 1" is the first. */
static void add_arguments(struct extrap *extrap, const char **texts)
{
	bool any = true;

	for (size_t n = 0; any && !extrap->why; n++) {
		any = false;
		for (size_t run = 0; run < extrap->nr_runs; run++) {
			texts[run] = argument(extrap, run, n);
			if (!texts[run]) {
				extrap->why = "out of memory";
				return;
			}
			any |= *texts[run] != '\0';
		}
		if (any)
			add_parameter(extrap, arena_printf(extrap->arena, "argument %zu", n + 1),
				      texts);
	}
}

static bool same_point(const struct extrap *extrap, size_t a, size_t b)
{
	for (size_t i = 0; i < extrap->nr; i++)
		if (extrap->parameters[i].values[a] < extrap->parameters[i].values[b] ||
		    extrap->parameters[i].values[a] > extrap->parameters[i].values[b])
			return false;
	return true;
}

static void set_points(struct extrap *extrap)
{
	extrap->points = arena_alloc(extrap->arena,
				     (extrap->nr_runs + 1) * sizeof(*extrap->points));
	for (size_t run = 0; run < extrap->nr_runs && extrap->points; run++) {
		extrap->points[run] = run;
		for (size_t before = 0; before < run && extrap->points[run] == run; before++)
			if (same_point(extrap, before, run))
				extrap->points[run] = before;
	}
	if (!extrap->points)
		extrap->why = "out of memory";
}

static void set_parameters(struct extrap *extrap)
{
	const char **texts = arena_alloc(extrap->arena, (extrap->nr_runs + 1) * sizeof(*texts));

	if (!texts) {
		extrap->why = "out of memory";
		return;
	}
	add_settings(extrap, texts);
	add_arguments(extrap, texts);
	for (size_t run = 0; run < extrap->nr_runs; run++)
		texts[run] = run_of(extrap, run)->binary[0] ? "" : run_of(extrap, run)->build;
	add_parameter(extrap, "build", texts);
	if (!extrap->why && !extrap->nr)
		extrap->why =
			"Extra-P needs runs that differ in a number, such as threads: these do not";
	if (!extrap->why)
		set_points(extrap);
}

/* ------------------------------------------------------------------ measurements */

static bool has_all_points(const struct extrap *extrap, const double *values)
{
	for (size_t point = 0; point < extrap->nr_runs; point++) {
		bool any = false;

		for (size_t run = point; run < extrap->nr_runs && !any; run++)
			any = extrap->points[run] == extrap->points[point] && !isnan(values[run]);
		if (extrap->points[point] == point && !any)
			return false;
	}
	return true;
}

static bool is_measured(const struct extrap *extrap, const double *values)
{
	for (size_t run = 0; run < extrap->nr_runs; run++)
		if (!isnan(values[run]))
			return true;
	return false;
}

static void write_series(struct json *json, const struct extrap *extrap, const char *name,
			 const double *values)
{
	json_open(json, name, '[');
	for (size_t point = 0; point < extrap->nr_runs; point++) {
		if (extrap->points[point] != point)
			continue;
		json_open(json, NULL, '{');
		json_open(json, "point", '[');
		for (size_t i = 0; i < extrap->nr; i++)
			json_number(json, NULL, extrap->parameters[i].values[point]);
		json_close(json);
		json_open(json, "values", '[');
		for (size_t run = point; run < extrap->nr_runs; run++)
			if (extrap->points[run] == point && !isnan(values[run]))
				json_number(json, NULL, values[run]);
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

/* "->" within a name would be another level. */
static void add_name(struct text *path, const char *name)
{
	for (const char *arrow = strstr(name, "->"); arrow; arrow = strstr(name, "->")) {
		text_printf(path, "%.*s- >", (int)(arrow - name), name);
		name = arrow + 2;
	}
	text_add_plain(path, name);
}

static void add_path(struct text *path, const struct exports *exports, uint32_t node)
{
	if (exports->tree.nodes[node].parent != CALL_NONE) {
		add_path(path, exports, exports->tree.nodes[node].parent);
		text_add(path, "->");
	}
	add_name(path, exports->names[node]);
}

/* A call path is opened with its first series, and is left open. */
static bool write_values(struct json *json, struct extrap *extrap,
			 const struct export_series *series, const double *values,
			 const char *suffix, bool open)
{
	struct text path;

	if (!has_all_points(extrap, values)) {
		extrap->exports->left_out += is_measured(extrap, values);
		return open;
	}
	if (!open) {
		text_init(&path, extrap->arena);
		add_path(&path, extrap->exports, series->node);
		json_open(json, path.bytes, '{');
	}
	write_series(json, extrap,
		     arena_printf(extrap->arena, "%s%s",
				  export_metric(extrap->arena, series->metric), suffix),
		     values);
	return true;
}

static void write_node(struct json *json, struct extrap *extrap, const struct export_series *series,
		       size_t nr)
{
	bool inner = extrap->exports->tree.nodes[series->node].first != CALL_NONE, open = false;

	for (size_t i = 0; i < nr; i++) {
		open = write_values(json, extrap, &series[i], series[i].own, "", open);
		if (inner)
			open = write_values(json, extrap, &series[i], series[i].total, " (inc)",
					    open);
	}
	if (open)
		json_close(json);
}

const char *export_extrap(struct text *out, struct exports *exports, size_t run)
{
	struct extrap extrap = { .exports = exports,
				 .arena = exports->arena,
				 .nr_runs = exports->match->nr_runs };
	struct json json;

	(void)run;
	set_parameters(&extrap);
	if (extrap.why)
		return extrap.why;
	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "created_by", "memsearch " MEMSEARCH_VERSION);
	json_open(&json, "parameters", '[');
	for (size_t i = 0; i < extrap.nr; i++)
		json_string(&json, NULL, extrap.parameters[i].name);
	json_close(&json);
	json_open(&json, "measurements", '{');
	for (size_t i = 0, end; i < exports->nr_series; i = end) {
		for (end = i; end < exports->nr_series &&
			      exports->series[end].node == exports->series[i].node;)
			end++;
		write_node(&json, &extrap, &exports->series[i], end - i);
	}
	json_close(&json);
	json_close(&json);
	return NULL;
}
