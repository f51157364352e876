/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch explain`: one cause of a report with all of its evidence. */
#include <inttypes.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/show.h"
#include "analysis/report/cause.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"

struct explain_values {
	uint64_t phase;
	const char *machine, *places, *pages, *properties;
	bool huge_pages, real_addresses;
	uint64_t jobs;
	uint64_t number;
	int code; /* exit code of printing */
};

static const struct command_option options[] = {
	{ .name = "machine",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME",
	  .offset = offsetof(struct explain_values, machine),
	  .help = "explain a cause of the report on this machine: a name of `memsearch machine --list`, a file, or host" },
	SHOW_PLACES(struct explain_values),
	SHOW_PAGES(struct explain_values),
	SHOW_HUGE_PAGES(struct explain_values),
	SHOW_REAL_ADDRESSES(struct explain_values),
	SHOW_JOBS(struct explain_values),
	{ .name = "properties",
	  .type = COMMAND_STRING,
	  .metavariable = "FILES",
	  .offset = offsetof(struct explain_values, properties),
	  .help = "more property files or folders, separated by colons, for runs that were killed before their texts were written" },
	SHOW_PHASE(struct explain_values),
	{ 0 }
};

static void print_explanation(struct text *out, const struct run *const *runs, size_t nr,
			      const void *explain_values)
{
	struct explain_values *values = *(struct explain_values *const *)explain_values;
	const struct run_modelled *model = &runs[0]->modelled;
	bool of_model = values->machine && model->name && !model->here;
	const struct cause *causes;
	size_t nr_causes = causes_of(out->arena, runs[0], of_model, &causes);
	struct report_options report;

	if (nr > 1) {
		log_warning("the store has %zu runs: give the record of one", nr);
		values->code = COMMAND_BAD_DATA;
		return;
	}
	if (values->number > nr_causes) {
		log_warning("cause %" PRIu64 " does not exist: %zu cause%s found%s%s",
			    values->number, nr_causes, nr_causes == 1 ? " was" : "s were",
			    of_model ? " on the modelled machine " : "",
			    of_model ? model->name : "");
		values->code = COMMAND_BAD_DATA;
		return;
	}
	show_options(&report, STDOUT_FILENO);
	report_cause(out, runs[0], &causes[values->number - 1], values->number, &report);
}

static int run_explain(const struct command *self, int argc, char **argv)
{
	struct explain_values values = { .code = COMMAND_OK }, *passed = &values;
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	struct show_how how = {
		.phase = values.phase,
		.properties = values.properties,
		.machine = values.machine,
		.places = values.places,
		.pages = values.pages,
		.huge_pages = values.huge_pages,
		.real_addresses = values.real_addresses,
		.jobs = values.jobs,
	};

	if (code != COMMAND_GO_ON)
		return code;
	if (!nr)
		return command_usage(self, "the number of a cause is missing: 1 is the first one");
	if (!command_parse_unsigned(argv[0], &values.number) || !values.number)
		return command_usage(self, "'%s' is no number of a cause: 1 is the first one",
				     argv[0]);
	show_as_after_run(&how);
	code = show_runs(self, nr - 1, argv + 1, &how, print_explanation, &passed);
	return code == COMMAND_OK ? values.code : code;
}

const struct command cmd_explain = {
	.name = "explain",
	.operands = "N [FILE]",
	.summary = "print one cause of a report with all of its evidence",
	.details =
		"N is the number of the cause in `memsearch report`. FILE is a record (.ms), or a store (.db) with one run; without it the newest of the current folder is taken. Printed are its source lines, all of its arrays, why it is slow, what to change, and each finding and candidate that is part of it, with the values and the text of its property. What is found of an array in a loop is not repeated for the loops around it.",
	.options = options,
	.run = run_explain,
};
