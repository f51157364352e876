/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch diff`: differences of two groups of runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/log.h"
#include "analysis/base/whole_file.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/diff_runs.h"
#include "analysis/cmds/output_file.h"
#include "analysis/cmds/show.h"
#include "analysis/cmds/source_path.h"
#include "analysis/differential/compare.h"
#include "analysis/differential/gate.h"
#include "analysis/differential/growth.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/picture.h"
#include "analysis/differential/print.h"
#include "analysis/differential/resources.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"

#define LEVEL 0.05
#define CUT_OFF 0.001
#define MOST 10
#define LIMITS_BYTES (1 << 20)

struct diff_values {
	const char *format, *by, *metric, *function, *work, *bound, *cut_off, *machine, *limits,
		*fail_on, *warn_on, *properties, *svg;
	bool all;
	uint64_t most, jobs;
};

static const struct command_option options[] = {
	{ .name = "by",
	  .type = COMMAND_CHOICE,
	  .metavariable = "region|array|line|instruction|thread|caller|property|cause",
	  .offset = offsetof(struct diff_values, by),
	  .help = "buckets to compare; caller: functions including their callees; property: findings only; cause: causes that findings are grouped into (default: array)" },
	{ .name = "machine",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME",
	  .offset = offsetof(struct diff_values, machine),
	  .help = "simulate records on this machine, or take its runs of a store: a name of `memsearch machine --list`, a file, or host (default)" },
	{ .name = "metric",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME",
	  .offset = offsetof(struct diff_values, metric),
	  .help = "rank buckets by this metric (default: time where runs prove differences of it, else stall cycles of the simulated machine)" },
	{ .name = "function",
	  .type = COMMAND_CHOICE,
	  .metavariable = "ratio|weighted|difference|saturation|saturation-power",
	  .offset = offsetof(struct diff_values, function),
	  .help = "combining function that buckets are sorted by (default: chosen by what is known of the runs' work, and printed)" },
	{ .name = "work",
	  .type = COMMAND_STRING,
	  .metavariable = "WORK",
	  .offset = offsetof(struct diff_values, work),
	  .help = "amount of work in a step: two numbers such as 512,1024, threads, or a metric whose total is the work (default: the same on both sides)" },
	{ .name = "bound",
	  .type = COMMAND_STRING,
	  .metavariable = "VALUE",
	  .offset = offsetof(struct diff_values, bound),
	  .help = "upper bound of the metric, for saturation functions" },
	{ .name = "fail-on",
	  .type = COMMAND_LINES_OF,
	  .metavariable = "LIMIT",
	  .offset = offsetof(struct diff_values, fail_on),
	  .help = "exit with status 1 if this limit is exceeded: METRIC[:REGION[/ARRAY]]>+N% or >N; may be given more than once" },
	{ .name = "warn-on",
	  .type = COMMAND_LINES_OF,
	  .metavariable = "LIMIT",
	  .offset = offsetof(struct diff_values, warn_on),
	  .help = "print whether this limit is exceeded, and exit with status 0" },
	{ .name = "limits",
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct diff_values, limits),
	  .help = "limits of a file, a line each: fail LIMIT or warn LIMIT" },
	{ .name = "cut-off",
	  .type = COMMAND_STRING,
	  .metavariable = "SHARE",
	  .offset = offsetof(struct diff_values, cut_off),
	  .help = "list no bucket that has less than this share of a metric on both sides (default: 0.1%)" },
	{ .name = "all",
	  .letter = 'a',
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct diff_values, all),
	  .help = "also small buckets, and metrics without a difference" },
	{ .name = "most",
	  .letter = 'n',
	  .type = COMMAND_UNSIGNED,
	  .metavariable = "N",
	  .offset = offsetof(struct diff_values, most),
	  .help = "print at most N rows of a list; 0 is all (default: 10; text and Markdown)" },
	SHOW_JOBS(struct diff_values),
	{ .name = "properties",
	  .type = COMMAND_STRING,
	  .metavariable = "FILES",
	  .offset = offsetof(struct diff_values, properties),
	  .help = "more property files or folders, separated by colons" },
	{ .name = "format",
	  .type = COMMAND_CHOICE,
	  .metavariable = "text|json|csv|markdown|github|sarif",
	  .offset = offsetof(struct diff_values, format),
	  .help = "how to print the result; github and sarif have limits only (default: text)" },
	{ .name = "json",
	  .type = COMMAND_CONSTANT,
	  .constant = "json",
	  .offset = offsetof(struct diff_values, format),
	  .help = "short for --format json" },
	{ .name = "svg",
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct diff_values, svg),
	  .help = "also write pictures of the comparison to this file" },
	{ 0 }
};

struct diff {
	const struct command *command;
	struct arena *arena;
	/* of the runs while they are read, then of what is compared */
	struct arena *of_run;
	const struct diff_values *values;
	struct diff_runs runs;
	/* of the compared runs; of these and those between them in a sweep */
	struct match match, all;
	struct compare_options options;
	struct comparison comparison;
	struct property_diff properties;
	struct growths growths;
	struct resources resources;
	struct warnings warnings;
	struct limits limits;
	struct limit_result *results;
	const char *function_why;
	uint32_t metric; /* that buckets are ranked by */
};

/* ------------------------------------------------------------------ options */

static enum diff_by by_of(const char *name)
{
	static const char *const names[] = { "region", "array",  "line",     "instruction",
					     "thread", "caller", "property", "cause" };

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return (enum diff_by)i;
	return DIFF_BY_ARRAY;
}

static enum profile_by profile_by_of(enum diff_by by)
{
	return by == DIFF_BY_LINE          ? PROFILE_BY_LINE
	       : by == DIFF_BY_INSTRUCTION ? PROFILE_BY_INSTRUCTION
	       : by == DIFF_BY_THREAD      ? PROFILE_BY_THREAD
	       : by == DIFF_BY_CALLER      ? PROFILE_BY_CALLER
					   : PROFILE_BY_ARRAY;
}

static int read_lines(struct diff *diff, const char *lines, enum limit_effect effect,
		      const char *option)
{
	while (lines) {
		size_t nr = strcspn(lines, "\n");
		const char *line = arena_strndup(diff->arena, lines, nr), *wrong;

		wrong = line ? limit_parse(diff->arena, &diff->limits, line, effect, option)
			     : "out of memory";
		if (wrong)
			return command_usage(diff->command, "%s: %s", option, wrong);
		lines = lines[nr] ? lines + nr + 1 : NULL;
	}
	return COMMAND_GO_ON;
}

static int read_file(struct diff *diff, const char *path)
{
	size_t length;
	const char *text = whole_file_read(diff->arena, path, LIMITS_BYTES, &length), *wrong;

	if (!text) {
		log_warning_errno("cannot read '%s'", path);
		return COMMAND_BAD_DATA;
	}
	wrong = limits_parse(diff->arena, &diff->limits, path, text, length);
	return wrong ? command_usage(diff->command, "--limits: %s", wrong) : COMMAND_GO_ON;
}

static int read_limits(struct diff *diff)
{
	const struct diff_values *values = diff->values;
	int code = values->limits ? read_file(diff, values->limits) : COMMAND_GO_ON;

	if (code == COMMAND_GO_ON)
		code = read_lines(diff, values->fail_on, LIMIT_FAIL, "--fail-on");
	return code == COMMAND_GO_ON ? read_lines(diff, values->warn_on, LIMIT_WARN, "--warn-on")
				     : code;
}

/* "0.1%" or "0.001", of `option`. */
static int read_share(struct diff *diff, const char *option, const char *text, double *out)
{
	char *end;
	double value = text ? strtod(text, &end) : 0;

	if (!text)
		return COMMAND_GO_ON;
	if (end != text && *end == '%') {
		value /= 100;
		end++;
	}
	if (end == text || *end || !(value >= 0) || !(value < 1))
		return command_usage(diff->command, "%s: '%s' is no share such as 0.1%%", option,
				     text);
	*out = value;
	return COMMAND_GO_ON;
}

static int read_options(struct diff *diff)
{
	const struct diff_values *values = diff->values;
	char *end;
	int code = read_limits(diff);

	diff->options = (struct compare_options){
		.work = { 1, 1 }, .level = LEVEL, .cut_off = CUT_OFF, .bound = NAN
	};
	if (code == COMMAND_GO_ON)
		code = read_share(diff, "--cut-off", values->cut_off, &diff->options.cut_off);
	if (code != COMMAND_GO_ON || !values->bound)
		return code;
	diff->options.bound = strtod(values->bound, &end);
	if (end == values->bound || *end || !(diff->options.bound > 0) ||
	    !isfinite(diff->options.bound))
		return command_usage(diff->command, "--bound: '%s' is no positive number",
				     values->bound);
	return COMMAND_GO_ON;
}

/* ------------------------------------------------------------------ work and function */

/* Names of all metrics, each once. */
static size_t metric_names(const char **names)
{
	size_t nr = 0;

	for (uint32_t i = 0; i < compared_metrics_nr(); i++) {
		bool known = false;

		for (size_t k = 0; k < nr && !known; k++)
			known = !strcmp(names[k], compared_metric(i)->name);
		if (!known)
			names[nr++] = compared_metric(i)->name;
	}
	return nr;
}

/* That an option names, and that was not measured on both sides: is there one of that name? */
static int no_metric(const struct diff *diff, const char *option, const char *name)
{
	const char **names = arena_alloc(diff->arena, compared_metrics_nr() * sizeof(*names));

	for (uint32_t i = 0; i < compared_metrics_nr(); i++)
		if (compared_is_named(i, name, strlen(name)))
			return command_usage(
				diff->command,
				"%s: '%s' was not measured on both sides; `memsearch diff --format csv` prints what was",
				option, name);
	return names ? command_unknown(diff->command, "metric", name, names, metric_names(names))
		     : COMMAND_BAD_DATA;
}

static const struct profile *first_of(const struct diff *diff, enum match_side side)
{
	for (size_t i = 0; i < diff->runs.nr_compared; i++)
		if (diff->runs.sides[i] == side)
			return diff->runs.profiles[i];
	return NULL;
}

static bool read_two(const char *text, double *out)
{
	char *end;

	out[MATCH_BASE] = strtod(text, &end);
	if (end == text || *end != ',')
		return false;
	text = end + 1;
	out[MATCH_NEW] = strtod(text, &end);
	return end != text && !*end && out[MATCH_BASE] > 0 && out[MATCH_NEW] > 0 &&
	       isfinite(out[MATCH_BASE]) && isfinite(out[MATCH_NEW]);
}

/* Totals of the metric, by a comparison without work. */
static int read_metric(struct diff *diff, const char *name, double *out)
{
	struct comparison totals;
	uint32_t metric;

	if (!compare(diff->arena, &diff->match, &diff->options, &totals))
		return COMMAND_BAD_DATA;
	metric = comparison_metric(&totals, name, false);
	if (metric == COMPARED_NONE)
		return no_metric(diff, "--work", name);
	for (size_t i = 0; i < totals.nr_totals; i++)
		if (totals.totals[i].metric == metric)
			memcpy(out, totals.totals[i].mean, sizeof(totals.totals[i].mean));
	if (out[MATCH_BASE] > 0 && out[MATCH_NEW] > 0)
		return COMMAND_GO_ON;
	return command_usage(diff->command,
			     "--work: '%s' is %g and %g: work is more than 0 on both sides", name,
			     out[MATCH_BASE], out[MATCH_NEW]);
}

static int read_work(struct diff *diff)
{
	const char *work = diff->values->work;
	double *out = diff->options.work;

	if (!work || read_two(work, out))
		return COMMAND_GO_ON;
	if (!strcmp(work, "threads")) {
		for (enum match_side side = 0; side < MATCH_SIDES; side++)
			out[side] = first_of(diff, side)->threads;
		return COMMAND_GO_ON;
	}
	if (strpbrk(work, "0123456789") == work || strchr(work, ','))
		return command_usage(
			diff->command,
			"--work: '%s' is neither two positive numbers such as 512,1024 nor threads nor a metric",
			work);
	return read_metric(diff, work, out);
}

/*
 * By the paper's rules. Steps of one program with the same arguments do the same work, whatever the
 * number of threads.
 */
static void choose_function(struct diff *diff)
{
	static const char *const asked[] = { "ratio", "weighted difference", "difference",
					     "projected saturation, linear",
					     "projected saturation, power law" };
	const struct profile *base = first_of(diff, MATCH_BASE), *new = first_of(diff, MATCH_NEW);
	bool same = !strcmp(base->arguments, new->arguments);
	struct combine_choice choice = combine_choose((struct combine_situation){
		.work_known = same || diff->values->work,
		.linear = true,
		.full_size = same || diff->values->work,
		.work_differs = diff->options.work[MATCH_BASE] < diff->options.work[MATCH_NEW],
	});

	diff->options.function = choice.function;
	diff->function_why =
		same && !diff->values->work
			? arena_printf(diff->arena,
				       "%s (the arguments are the same: so is the work of a step)",
				       asked[choice.function])
			: arena_printf(diff->arena, "%s (%s)", asked[choice.function],
				       strchr(choice.why, ':') ? strchr(choice.why, ':') + 2
							       : choice.why);
	for (int i = 0; diff->values->function && i < COMBINE_FUNCTIONS; i++)
		if (!strcmp(diff->values->function, combine_name((enum combine)i))) {
			diff->options.function = (enum combine)i;
			diff->function_why = asked[i];
		}
}

/*
 * A saturation is projected along the load; the work of a step is the same then, as for
 * `difference`.
 */
static int check_function(struct diff *diff)
{
	bool saturation = combine_ascending(diff->options.function);

	if (!saturation)
		return COMMAND_GO_ON;
	if (isnan(diff->options.bound))
		return command_usage(
			diff->command,
			"--function: a saturation needs --bound, the most that the metric can be");
	if (!diff->values->work)
		return command_usage(
			diff->command,
			"--function: a saturation needs --work, the load of both sides, such as --work threads");
	if (diff->options.work[MATCH_BASE] >= diff->options.work[MATCH_NEW])
		return command_usage(
			diff->command,
			"--work: the new side needs more load than the base (%g, %g) to project a saturation",
			diff->options.work[MATCH_BASE], diff->options.work[MATCH_NEW]);
	memcpy(diff->options.load, diff->options.work, sizeof(diff->options.load));
	diff->options.work[MATCH_BASE] = diff->options.work[MATCH_NEW] = 1;
	return COMMAND_GO_ON;
}

/* ------------------------------------------------------------------ comparing */

static bool any_in_common(const struct diff *diff)
{
	for (size_t i = 0; i < diff->match.nr_places; i++) {
		const struct matched_place *place = &diff->match.places[i];

		if (place->of[MATCH_BASE] && place->of[MATCH_NEW] &&
		    place->of[MATCH_BASE]->kind != MS_USER_REGION)
			return true;
	}
	return false;
}

static bool any_region(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nr_places; i++)
		if (profile->places[i].kind != MS_USER_REGION)
			return true;
	return false;
}

static int check_regions(const struct diff *diff)
{
	const struct profile *sides[] = { first_of(diff, MATCH_BASE), first_of(diff, MATCH_NEW) };

	for (enum match_side side = 0; side < MATCH_SIDES; side++) {
		if (any_region(sides[side]))
			continue;
		log_warning(
			"'%s' has no region to compare: its run ended too early, or its record was cut: record it again",
			diff->runs.names[side]);
		return COMMAND_BAD_DATA;
	}
	if (any_in_common(diff))
		return COMMAND_GO_ON;
	log_warning(
		"'%s' (%s) and '%s' (%s) have no region in common: compare two builds of one program; regions are matched by function and file, which the programs' symbols tell",
		diff->runs.names[MATCH_BASE], sides[MATCH_BASE]->program,
		diff->runs.names[MATCH_NEW], sides[MATCH_NEW]->program);
	return COMMAND_BAD_DATA;
}

static int check_common(const struct diff *diff)
{
	int code = check_regions(diff);

	if (code != COMMAND_GO_ON)
		return code;
	for (size_t i = 0; i < diff->comparison.nr_totals; i++)
		if (diff->comparison.totals[i].nr[MATCH_BASE] &&
		    diff->comparison.totals[i].nr[MATCH_NEW])
			return COMMAND_GO_ON;
	log_warning(
		"'%s' and '%s' have no metric in common: record both with the same options of `memsearch run`",
		diff->runs.names[MATCH_BASE], diff->runs.names[MATCH_NEW]);
	return COMMAND_BAD_DATA;
}

/* Of the ranked metric; buckets below the cut-off everywhere are left out. */
static int find_growths(struct diff *diff)
{
	const struct diff_runs *runs = &diff->runs;
	enum diff_by by = by_of(diff->values->by);
	struct growths_how how = {
		.metric = diff->metric,
		.of_arrays = by != DIFF_BY_REGION && by != DIFF_BY_CALLER &&
			     diff->metric != COMPARED_NONE && compared_is_of_data(diff->metric),
		.without_one = runs->load && !strcmp(runs->load, "threads"),
		.bound = diff->options.bound,
		.power_law = diff->options.function == COMBINE_SATURATION_POWER,
	};

	if (diff->metric == COMPARED_NONE || !runs->loads || diff->all.unit == MATCH_UNITS_DIFFER ||
	    diff->all.unit != diff->match.unit)
		return COMMAND_GO_ON;
	for (size_t i = 0; i < diff->comparison.nr_totals; i++)
		if (diff->comparison.totals[i].metric == diff->metric)
			how.least = fmax(diff->comparison.totals[i].mean[MATCH_BASE],
					 diff->comparison.totals[i].mean[MATCH_NEW]) *
				    diff->options.cut_off;
	return growths_of(diff->arena, &diff->all, runs->columns, runs->loads, runs->nr_columns,
			  &how, &diff->growths)
		       ? COMMAND_GO_ON
		       : COMMAND_BAD_DATA;
}

static int choose_metric(struct diff *diff)
{
	enum diff_by by = by_of(diff->values->by);
	const char *name = diff->values->metric;

	diff->metric = comparison_metric(&diff->comparison, name,
					 by != DIFF_BY_REGION && by != DIFF_BY_THREAD &&
						 by != DIFF_BY_CALLER);
	if (name && diff->metric == COMPARED_NONE)
		return no_metric(diff, "--metric", name);
	comparison_rank(diff->arena, &diff->comparison, diff->metric);
	return COMMAND_GO_ON;
}

static int compare_runs(struct diff *diff)
{
	const struct diff_runs *runs = &diff->runs;
	const struct profile *base = first_of(diff, MATCH_BASE), *new = first_of(diff, MATCH_NEW);
	int code;

	diff->options.threads_differ = base->threads != new->threads;
	diff->options.other_machine = strcmp(base->cpu, new->cpu) != 0 || base->cpus != new->cpus;
	if (!match_profiles(diff->arena, runs->profiles, runs->sides, runs->nr_compared,
			    &diff->match) ||
	    !match_profiles(diff->arena, runs->profiles, runs->sides, runs->nr, &diff->all))
		return COMMAND_BAD_DATA;
	code = read_work(diff);
	if (code != COMMAND_GO_ON)
		return code;
	choose_function(diff);
	code = check_function(diff);
	if (code != COMMAND_GO_ON)
		return code;
	if (!compare(diff->of_run, &diff->match, &diff->options, &diff->comparison))
		return COMMAND_BAD_DATA;
	code = check_common(diff);
	if (code == COMMAND_GO_ON)
		code = choose_metric(diff);
	if (code == COMMAND_GO_ON)
		code = find_growths(diff);
	diff->properties = property_diff(diff->arena, &diff->all, &diff->comparison, runs->columns,
					 runs->nr_columns,
					 by_of(diff->values->by) == DIFF_BY_CAUSE);
	if (runs->loads)
		diff->resources = resources_of(diff->arena, &diff->all, runs->columns, runs->loads,
					       runs->nr_columns);
	diff->warnings = warnings_of(diff->arena, &diff->match);
	diff->results = limits_check(diff->arena, &diff->limits, &diff->comparison);
	return code == COMMAND_GO_ON && !diff->results ? COMMAND_BAD_DATA : code;
}

/* ------------------------------------------------------------------ printing */

/* ", simulated on xeon-2s"; ", simulated on xeon-2s and altix-bx2". */
static const char *machine_words(const struct diff *diff, const struct profile *base,
				 const struct profile *new)
{
	const char *machine = *new->machine ? new->machine : base->machine;

	if (!*machine)
		return "";
	if (*base->machine && strcmp(base->machine, machine) != 0)
		return arena_printf(diff->arena, ", simulated on %s and %s", base->machine,
				    machine);
	return arena_printf(diff->arena, ", simulated on %s", machine);
}

static const char *unit_words(const struct diff *diff)
{
	static const char *const words[] = {
		[MATCH_STEPS] = "one step",
		[MATCH_WHOLE_RUNS] = "the whole run",
		[MATCH_UNITS_DIFFER] = "one step on a side and the whole run on the other"
	};

	return words[diff->match.unit];
}

static const char *title_of(const struct diff *diff)
{
	const struct profile *base = first_of(diff, MATCH_BASE), *new = first_of(diff, MATCH_NEW);
	const char *arguments = strcmp(base->arguments, new->arguments) != 0 ? "" : new->arguments;

	return arena_printf(diff->arena,
			    "memsearch: %s%s%s: %s -> %s%s; values of %s, all threads together",
			    base_name(new->program), *arguments ? " " : "", arguments,
			    diff->runs.names[MATCH_BASE], diff->runs.names[MATCH_NEW],
			    machine_words(diff, base, new), unit_words(diff));
}

static struct diff_page page_of(const struct diff *diff)
{
	struct report_options brief;
	struct diff_page page = {
		.comparison = &diff->comparison,
		.properties = &diff->properties,
		.columns = diff->runs.column_names,
		.warnings = &diff->warnings,
		.growths = &diff->growths,
		.resources = &diff->resources,
		.growth_match = &diff->all,
		.growth_columns = diff->runs.columns,
		.load = diff->runs.load,
		.limits = diff->results,
		.nr_limits = diff->limits.nr,
		.by = by_of(diff->values->by),
		.title = title_of(diff),
		.metric = diff->metric,
		.function_why = diff->function_why,
		.most = diff->values->most,
		.all = diff->values->all,
		.path = source_path,
	};

	memcpy(page.names, diff->runs.names, sizeof(page.names));
	show_options(&brief, STDOUT_FILENO);
	page.brief = brief.brief;
	return page;
}

static int draw(struct diff *diff, const struct diff_page *page)
{
	struct text out;

	if (!diff->values->svg)
		return COMMAND_OK;
	text_init(&out, diff->arena);
	diff_svg(&out, page, (1u << PICTURES) - 1);
	return output_file_write(diff->values->svg, &out, SVG_BEGIN, "picture");
}

static int print(struct diff *diff)
{
	struct diff_page page = page_of(diff);
	struct text out;
	int drawn = draw(diff, &page), printed;

	text_init(&out, diff->arena);
	diff_format(diff->values->format ? diff->values->format : "text")(&out, &page);
	printed = command_print(&out);
	return printed == COMMAND_OK ? drawn : printed;
}

/* What could not be measured for a limit is no regression, and no success either. */
static int status_of(const struct diff *diff)
{
	int status = COMMAND_OK;

	for (size_t i = 0; i < diff->limits.nr; i++) {
		if (diff->results[i].limit->effect != LIMIT_FAIL)
			continue;
		if (diff->results[i].state == LIMIT_EXCEEDED)
			return COMMAND_REGRESSION;
		if (diff->results[i].state == LIMIT_UNMEASURED)
			status = COMMAND_BAD_DATA;
	}
	return status;
}

static int diff_all(struct diff *diff, int nr, char **operands)
{
	const struct diff_values *values = diff->values;
	struct show_how how = { .properties = values->properties,
				.modelled = true,
				.machine = values->machine,
				.jobs = values->jobs,
				.findings = true };
	int code = read_options(diff);

	if (code == COMMAND_GO_ON)
		code = diff_runs_read(diff->command, diff->arena, diff->of_run, nr, operands, &how,
				      profile_by_of(by_of(values->by)), &diff->runs);
	if (code == COMMAND_GO_ON)
		code = compare_runs(diff);
	if (code == COMMAND_GO_ON)
		code = print(diff);
	return code == COMMAND_OK ? status_of(diff) : code;
}

static int run_diff(const struct command *self, int argc, char **argv)
{
	struct diff_values values = { .most = MOST };
	struct diff diff = { .command = self, .values = &values };
	int nr, code = command_parse(self, &values, argc, argv, &nr);

	if (code != COMMAND_GO_ON)
		return code;
	diff.arena = arena_new();
	diff.of_run = arena_new();
	code = diff.arena && diff.of_run ? diff_all(&diff, nr, argv) : COMMAND_BAD_DATA;
	arena_free(diff.of_run);
	arena_free(diff.arena);
	return code;
}

const struct command cmd_diff = {
	.name = "diff",
	.operands = "BASE NEW | SWEEP",
	.summary = "compare runs: what got worse, in which loop, on which array",
	.details =
		"A side is records or stores, separated by commas, and behind @ settings of their runs: sweep.db@threads=16. The store of a sweep alone is compared "
		"with itself: the runs with the fewest threads (of three or more numbers, 1 is skipped) and those with the most. The exit status is 1 if a limit of --fail-on is exceeded, and 3 if it could not be checked.",
	.options = options,
	.run = run_diff,
};
