/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memsearch arrays`: the program's data structures, who touched them first, and what recorded code
 * does to them.
 */
#include "analysis/report/arrays.h"

#include <string.h>
#include <unistd.h>

#include "analysis/cmds/array_ranges.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/show.h"

#define MOST 30

struct arrays_values {
	uint64_t phase;
	const char *format, *by, *machine, *places, *pages, *ranges;
	bool huge_pages, real_addresses, all;
	uint64_t most, jobs;
};

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct arrays_values),
	{ .name = "by",
	  .type = COMMAND_CHOICE,
	  .metavariable = "array|line|region|thread",
	  .offset = offsetof(struct arrays_values, by),
	  .help = "list arrays in the order of their use; source lines that access or first touch them; regions with their traffic on the modelled machine; or threads (default: array)" },
	{ .name = "machine",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME",
	  .offset = offsetof(struct arrays_values, machine),
	  .help = "simulate the recorded accesses on this machine: a name of `memsearch machine --list`, a file, or host (default)" },
	SHOW_PLACES(struct arrays_values),
	SHOW_PAGES(struct arrays_values),
	{ .name = "range",
	  .type = COMMAND_LIST_OF,
	  .metavariable = "RANGE",
	  .offset = offsetof(struct arrays_values, ranges),
	  .check = array_ranges_check,
	  .help = "count and simulate this range of an array apart from the rest of it: u[0:9], or u(:,1:10) in Fortran; may be given more than once" },
	SHOW_HUGE_PAGES(struct arrays_values),
	SHOW_REAL_ADDRESSES(struct arrays_values),
	SHOW_JOBS(struct arrays_values),
	{ .name = "all",
	  .letter = 'a',
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct arrays_values, all),
	  .help = "also arrays smaller than a page, stacks with less than 10 % of the bytes moved, and lines with less than 1 % (text only)" },
	{ .name = "most",
	  .letter = 'n',
	  .type = COMMAND_UNSIGNED,
	  .metavariable = "N",
	  .offset = offsetof(struct arrays_values, most),
	  .help = "print at most N in each table; 0 is all (default: 30; text only)" },
	SHOW_PHASE(struct arrays_values),
	{ 0 }
};

static enum arrays_by by_of(const char *name)
{
	static const char *const names[] = { [ARRAYS_BY_LINE] = "line",
					     [ARRAYS_BY_REGION] = "region",
					     [ARRAYS_BY_THREAD] = "thread" };

	for (unsigned int by = ARRAYS_BY_LINE; name && by < sizeof(names) / sizeof(names[0]); by++)
		if (!strcmp(name, names[by]))
			return by;
	return ARRAYS_BY_ARRAY;
}

static void print_arrays(struct text *out, const struct run *const *runs, size_t nr,
			 const void *arrays_values)
{
	const struct arrays_values *values = arrays_values;
	struct report_options brief;
	struct arrays_options arrays = { .all = values->all, .most = values->most };

	show_options(&brief, STDOUT_FILENO);
	arrays.brief = brief.brief;
	arrays.by = by_of(values->by);
	arrays_format(values->format)(out, runs, nr, &arrays);
}

static int run_arrays(const struct command *self, int argc, char **argv)
{
	struct arrays_values values = { .most = MOST };
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	struct show_how how = {
		.several = true,
		.phase = values.phase,
		.modelled = true,
		.machine = values.machine,
		.places = values.places,
		.pages = values.pages,
		.ranges = values.ranges,
		.huge_pages = values.huge_pages,
		.real_addresses = values.real_addresses,
		.jobs = values.jobs,
	};

	how.machine = show_machine(&how);
	return code == COMMAND_GO_ON ? show_runs(self, nr, argv, &how, print_arrays, &values)
				     : code;
}

const struct command cmd_arrays = {
	.name = "arrays",
	.operands = "[FILE...]",
	.summary = "print the program's data structures: use, strides, misses, first touch",
	.details =
		"FILE is a record (.ms) or a store (.db); without it the newest of the current folder is taken. Runs of several files are printed one after the other.",
	.options = options,
	.run = run_arrays,
};
