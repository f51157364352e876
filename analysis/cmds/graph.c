/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch graph`: the search history graph of a run. */
#include <string.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/output_file.h"
#include "analysis/cmds/show.h"
#include "analysis/report/history_graph.h"
#include "analysis/report/foci.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"

struct graph_values {
	uint64_t phase;
	const char *format, *svg, *machine;
	bool all, foci;
	int *picture_code; /* gets the exit code of writing the picture */
};

static const struct command_option options[] = {
	{ .name = "format",
	  .type = COMMAND_CHOICE,
	  .metavariable = "text|dot|json",
	  .offset = offsetof(struct graph_values, format),
	  .help = "how to print the graph (default: text); dot is for Graphviz" },
	{ .name = "json",
	  .type = COMMAND_CONSTANT,
	  .constant = "json",
	  .offset = offsetof(struct graph_values, format),
	  .help = "short for --format json" },
	{ .name = "all",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct graph_values, all),
	  .help = "also candidates without a verdict" },
	{ .name = "foci",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct graph_values, foci),
	  .help = "name places by their resources: </Code/swim/calc2/loop_1, /Machine/HOST/PID, /Data, /SyncObject>; JSON always has them" },
	{ .name = "svg",
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct graph_values, svg),
	  .help = "write a picture to FILE as well; a picture that memsearch wrote is replaced" },
	{ .name = "machine",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME",
	  .offset = offsetof(struct graph_values, machine),
	  .help = "continue the search over the recorded accesses on this machine: a name of `memsearch machine --list`, a file, or host (default)" },
	SHOW_PHASE(struct graph_values),
	{ 0 }
};

static void print_graph(struct text *out, const struct run *const *runs, size_t nr,
			const void *graph_values)
{
	const struct graph_values *values = graph_values;
	const char *format = values->format ? values->format : "text";
	struct report_options report;
	struct history_graph graph;
	struct text picture;

	if (!nr || !history_graph_make(out->arena, runs[0], !values->all, &graph))
		return;
	if (nr > 1)
		log_warning("there are %zu runs; this is the graph of the first", nr);
	show_options(&report, STDOUT_FILENO);
	if (values->foci || !strcmp(format, "json"))
		graph.foci = foci_of(out->arena, runs[0], report.brief);
	if (!strcmp(format, "json"))
		history_graph_json(out, &graph);
	else if (!strcmp(format, "dot"))
		history_graph_dot(out, &graph);
	else if (graph.nr)
		history_graph_text(out, &graph, report.width);
	else
		text_add(out, "The search reached no verdict.\n");
	if (!values->svg)
		return;
	text_init(&picture, out->arena);
	history_graph_svg(&picture, &graph);
	*values->picture_code = output_file_write(values->svg, &picture, SVG_BEGIN, "picture");
}

static int run_graph(const struct command *self, int argc, char **argv)
{
	int picture_code = COMMAND_OK;
	struct graph_values values = { .picture_code = &picture_code };
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	const struct show_how how = { .phase = values.phase,
				      .machine = values.machine,
				      .modelled = values.machine || !show_is_quick(),
				      .findings = true };

	if (code != COMMAND_GO_ON)
		return code;
	code = show_runs(self, nr, argv, &how, print_graph, &values);
	return code == COMMAND_OK ? picture_code : code;
}

const struct command cmd_graph = {
	.name = "graph",
	.operands = "[FILE]",
	.summary = "print the search history graph of a run",
	.details =
		"FILE is a record (.ms) or a store (.db); without it the newest of the current folder is taken. A node is a question: a property in a region, or of one"
		" thread in it. It stands below the question whose verdict led to it.",
	.options = options,
	.run = run_graph,
};
