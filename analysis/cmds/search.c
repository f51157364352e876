/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch search`: any strategy over the measurements of a record. */
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/earlier_records.h"
#include "analysis/cmds/output_file.h"
#include "analysis/cmds/run_checks.h"
#include "analysis/cmds/search_compare.h"
#include "analysis/cmds/search_picture.h"
#include "analysis/cmds/search_setup.h"
#include "analysis/cmds/search_step.h"
#include "analysis/cmds/searched.h"
#include "analysis/cmds/show.h"
#include "analysis/report/history_graph.h"
#include "analysis/report/foci.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"
#include "analysis/search/strategies.h"
#include "memsearch/strategy.h"

/* A search that waits longer for its overhead limit is stopped. */
#define EXECUTIONS 20000

struct search_values {
	const char *format, *strategy, *overhead, *deep_threshold, *properties, *graph;
	uint64_t executions;
	const char *svg, *history;
	bool all, compare, step;
};

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct search_values),
	{ .name = "strategy",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME|FILE",
	  .offset = offsetof(struct search_values, strategy),
	  .help = "a strategy of `memsearch list strategies`, or a shared object with one (default: that of the run)" },
	{ .name = "all",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct search_values, all),
	  .help = "in text: also true candidates that were refined to findings; in a graph: also candidates without a verdict" },
	{ .name = "graph",
	  .type = COMMAND_CHOICE,
	  .metavariable = "text|dot|json",
	  .offset = offsetof(struct search_values, graph),
	  .help = "print the search history graph of the search, as `memsearch graph` does" },
	{ .name = "compare",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct search_values, compare),
	  .help = "compare all strategies, and that of --strategy FILE, over the runs of one or more files" },
	{ .name = "svg",
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct search_values, svg),
	  .help = "with --compare: write the search profiles to FILE as well, the known findings over time; a picture that memsearch wrote is replaced" },
	{ .name = "step",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct search_values, step),
	  .help = "search by hand: list the candidates, and test those whose numbers are typed" },
	{ .name = "overhead",
	  .type = COMMAND_CHECKED,
	  .metavariable = "LIMIT",
	  .offset = offsetof(struct search_values, overhead),
	  .help = "let measuring cost at most this share of the program's time, as predicted (default: that of the run)",
	  .check = run_check_option },
	{ .name = "deep-threshold",
	  .type = COMMAND_CHECKED,
	  .metavariable = "PART",
	  .offset = offsetof(struct search_values, deep_threshold),
	  .help = "with deep_start: test first the deepest regions with this part of the CPU-clock samples or more (default: 20%)",
	  .check = run_check_option },
	{ .name = "history",
	  .type = COMMAND_LIST_OF,
	  .metavariable = "RECORD",
	  .offset = offsetof(struct search_values, history),
	  .help = "test first what was true in this earlier record of the same program, and last what was false; several: separated by commas or by further options" },
	{ .name = "executions",
	  .type = COMMAND_UNSIGNED,
	  .metavariable = "N",
	  .offset = offsetof(struct search_values, executions),
	  .help = "end after N executions of the phase (default: when nothing is left to decide)" },
	{ .name = "properties",
	  .type = COMMAND_STRING,
	  .metavariable = "FILES",
	  .offset = offsetof(struct search_values, properties),
	  .help = "more property files or folders, separated by colons" },
	{ 0 }
};

struct searching {
	const struct command *command;
	const struct search_values *values;
	struct arena *arena;
	struct search_setup setup;
};

static int read_history(struct searching *searching, const struct run *run)
{
	const char *files = searching->values->history;

	return files ? earlier_records_read(searching->command, searching->arena, files,
					    run->program ? run->program : "",
					    &searching->setup.how.earlier)
		     : COMMAND_GO_ON;
}

/* ------------------------------------------------------------------ one search */

static void print_graph(struct text *out, const struct searched *searched, const char *format,
			bool all, int width)
{
	struct history_graph graph;

	if (!history_graph_make(out->arena, &searched->found, !all, &graph))
		return;
	if (!strcmp(format, "json"))
		graph.foci = foci_of(out->arena, &searched->found, show_is_brief());
	if (!strcmp(format, "json"))
		history_graph_json(out, &graph);
	else if (!strcmp(format, "dot"))
		history_graph_dot(out, &graph);
	else
		history_graph_text(out, &graph, width);
}

static void print_search(struct text *out, const struct searched *searched,
			 const struct search_values *values, int width)
{
	const struct searched_format as = { .format = values->format ? values->format : "text",
					    .width = width,
					    .all = values->all };

	if (values->graph)
		print_graph(out, searched, values->graph, values->all, width);
	else
		searched_print(out, searched, &as);
}

static int search_run(struct searching *searching, const char *path, struct run *run,
		      struct text *out)
{
	const struct search_values *values = searching->values;
	struct searched searched = { .path = path, .run = run };
	struct report_options report;
	int code = search_setup_strategy(&searching->setup,
					 values->strategy ? values->strategy : run->strategy,
					 &searched.strategy);

	if (code == COMMAND_GO_ON)
		code = search_setup_run(&searching->setup, path, run);
	if (code == COMMAND_GO_ON)
		code = read_history(searching, run);
	if (code != COMMAND_GO_ON)
		return code;
	show_options(&report, STDOUT_FILENO);
	if (values->step)
		code = search_step(searching->arena, &searched, &searching->setup.how,
				   report.width);
	else
		code = searched_run_over(&searched, searching->arena, &searching->setup.how)
			       ? COMMAND_OK
			       : COMMAND_BAD_DATA;
	if (code != COMMAND_OK)
		return code;
	print_search(out, &searched, values, report.width);
	return COMMAND_OK;
}

static int search_file(struct searching *searching, int nr_operands, char *const *operands)
{
	struct show_file file;
	struct text out;
	int code = search_setup_begin(&searching->setup);

	if (code == COMMAND_GO_ON)
		code = show_load(searching->command, searching->arena, nr_operands, operands,
				 &file);
	if (code != COMMAND_GO_ON)
		return code;
	if (file.nr_runs > 1)
		log_warning("there are %zu runs; this is a search over the first", file.nr_runs);
	text_init(&out, searching->arena);
	code = search_run(searching, file.path, &file.runs[0], &out);
	return code == COMMAND_OK ? command_print(&out) : code;
}

/* ------------------------------------------------------------------ all strategies */

struct comparison {
	const struct ms_strategy **strategies;
	size_t nr_strategies;
	struct compared_run *runs;
	size_t nr, room;
};

/* The installed ones, and the one of a file. */
static int all_strategies(const struct searching *searching, struct comparison *out)
{
	const struct strategy_list *list = search_setup_strategies(searching->arena);
	const char *file = searching->values->strategy;
	size_t nr = list ? list->nr : 0;
	int code = COMMAND_GO_ON;

	if (file && !strategies_is_file(file))
		return command_usage(searching->command,
				     "--compare takes all strategies: '%s' is one of them", file);
	out->strategies = arena_alloc(searching->arena, (nr + 1) * sizeof(*out->strategies));
	if (!list || !out->strategies)
		return COMMAND_BAD_DATA;
	memcpy(out->strategies, list->strategies, nr * sizeof(*out->strategies));
	if (file)
		code = search_setup_strategy(&searching->setup, file, &out->strategies[nr++]);
	out->nr_strategies = nr;
	return code;
}

static int compare_run(struct searching *searching, const char *path, struct run *run,
		       struct comparison *comparison)
{
	struct compared_run compared = { .path = path, .run = run };
	int code = search_setup_run(&searching->setup, path, run);

	if (code == COMMAND_GO_ON)
		code = read_history(searching, run);
	if (code != COMMAND_GO_ON)
		return code;
	if (!compared_run_fill(&compared, searching->arena, &searching->setup.how,
			       comparison->strategies, comparison->nr_strategies) ||
	    !ARENA_GROW(searching->arena, comparison->runs, comparison->nr, comparison->room))
		return COMMAND_BAD_DATA;
	comparison->runs[comparison->nr++] = compared;
	return COMMAND_GO_ON;
}

static int compare_file(struct searching *searching, int nr_operands, char *const *operands,
			struct comparison *comparison)
{
	struct show_file file;
	int code = show_load(searching->command, searching->arena, nr_operands, operands, &file);

	for (size_t i = 0; code == COMMAND_GO_ON && i < file.nr_runs; i++)
		code = compare_run(searching, file.path, &file.runs[i], comparison);
	return code;
}

static int write_picture(const struct searching *searching, const struct comparison *comparison)
{
	struct text picture;

	text_init(&picture, searching->arena);
	search_picture(&picture, comparison->runs, comparison->nr);
	return output_file_write(searching->values->svg, &picture, SVG_BEGIN, "picture");
}

static int compare(struct searching *searching, int nr_operands, char *const *operands)
{
	const char *format = searching->values->format ? searching->values->format : "text";
	struct comparison comparison = { .nr = 0 };
	struct text out;
	int code = search_setup_begin(&searching->setup);

	if (code == COMMAND_GO_ON)
		code = all_strategies(searching, &comparison);
	for (int i = 0; code == COMMAND_GO_ON && (i < nr_operands || !i); i++)
		code = compare_file(searching, nr_operands ? 1 : 0, operands + i, &comparison);
	if (code != COMMAND_GO_ON)
		return code;
	text_init(&out, searching->arena);
	compared_print(&out, comparison.runs, comparison.nr, format);
	code = command_print(&out);
	return code == COMMAND_OK && searching->values->svg ? write_picture(searching, &comparison)
							    : code;
}

static int run_search(const struct command *self, int argc, char **argv)
{
	struct search_values values = { .executions = EXECUTIONS };
	struct searching searching = { .command = self, .values = &values };
	int nr, code = command_parse(self, &values, argc, argv, &nr);

	if (code != COMMAND_GO_ON)
		return code;
	if (values.step &&
	    (values.compare || (values.format && strcmp(values.format, "text") != 0)))
		return command_usage(self, "--step is a dialogue: without --compare, and as text");
	if (values.graph && values.compare)
		return command_usage(self, "--graph is of one search: without --compare");
	if (values.svg && !values.compare)
		return command_usage(self, "--svg is of several searches: with --compare");
	if (!values.executions)
		return command_usage(self, "--executions must be 1 or more");
	searching.arena = arena_new();
	if (!searching.arena)
		return COMMAND_BAD_DATA;
	searching.setup = (struct search_setup){ .command = self,
						 .arena = searching.arena,
						 .properties = values.properties,
						 .overhead = values.overhead,
						 .deep_threshold = values.deep_threshold };
	searching.setup.how.executions_most = values.executions;
	code = (values.compare ? compare : search_file)(&searching, nr, argv);
	arena_free(searching.arena);
	return code;
}

const struct command cmd_search = {
	.name = "search",
	.operands = "[FILE...]",
	.summary = "search over the measurements of a record",
	.details =
		"FILE is a record (.ms) or a store (.db); without it the newest of the current folder is taken. The engine, the strategies and the properties are those of `memsearch run`:"
		" the measurements of the run answer what they request, so that each execution of the phase gives the mean of the run. What the run did not measure is unknown;"
		" `memsearch run --measure all` measures most. Prints what was proven, in order, after which experiment and execution, and how much data that took.",
	.options = options,
	.run = run_search,
};
