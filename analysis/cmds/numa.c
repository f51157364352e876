/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memsearch numa`: which arrays come from other NUMA nodes, who put them there, and what to
 * change.
 */
#include <string.h>
#include <unistd.h>

#include "analysis/cmds/array_ranges.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/output_file.h"
#include "analysis/cmds/show.h"
#include "analysis/machine/machines.h"
#include "analysis/numa/picture.h"
#include "analysis/numa/print.h"
#include "analysis/numa/ranking.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"
#include "analysis/simulation/page_use.h"

#define MOST 10

struct numa_values {
	uint64_t phase;
	const char *format, *svg, *machine, *places, *pages, *ranges;
	bool huge_pages;
	uint64_t most, jobs;
	struct page_uses *uses;
	int *picture_code; /* gets the exit code of writing the picture */
};

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct numa_values),
	{ .name = "svg",
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct numa_values, svg),
	  .help = "write a picture to FILE as well: nodes, links, pages of arrays, and pages written; a picture that memsearch wrote is replaced" },
	{ .name = "machine",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME",
	  .offset = offsetof(struct numa_values, machine),
	  .help = "simulate the recorded accesses on this machine: a name of `memsearch machine --list`, a file, or host (default)" },
	SHOW_PLACES(struct numa_values),
	SHOW_PAGES(struct numa_values),
	{ .name = "range",
	  .type = COMMAND_LIST_OF,
	  .metavariable = "RANGE",
	  .offset = offsetof(struct numa_values, ranges),
	  .check = array_ranges_check,
	  .help = "rank this range of an array apart from the rest of it: u[0:9], or u(:,1:10) in Fortran; may be given more than once" },
	SHOW_HUGE_PAGES(struct numa_values),
	SHOW_JOBS(struct numa_values),
	{ .name = "most",
	  .letter = 'n',
	  .type = COMMAND_UNSIGNED,
	  .metavariable = "N",
	  .offset = offsetof(struct numa_values, most),
	  .help = "print at most N arrays; 0 is all (default: 10; text and picture only)" },
	SHOW_PHASE(struct numa_values),
	{ 0 }
};

static void print_numa(struct text *out, const struct run *const *runs, size_t nr,
		       const void *numa_values)
{
	const struct numa_values *values = numa_values;
	const char *format = values->format ? values->format : "text";
	const struct numa_ranking *ranking = nr ? numa_ranking(out->arena, runs[0], values->uses)
						: NULL;
	struct report_options report;
	struct numa_options numa = { .most = values->most, .ranges = true };
	struct text picture;

	show_options(&report, STDOUT_FILENO);
	numa.colour = report.colour;
	numa.brief = report.brief;
	numa.width = report.width;
	if (ranking)
		(!strcmp(format, "json")  ? numa_json
		 : !strcmp(format, "csv") ? numa_csv
					  : numa_text)(out, ranking, &numa);
	if (!ranking || !values->svg)
		return;
	text_init(&picture, out->arena);
	numa_svg(&picture, ranking, &numa);
	*values->picture_code = output_file_write(values->svg, &picture, SVG_BEGIN, "picture");
}

static int run_numa(const struct command *self, int argc, char **argv)
{
	struct page_uses uses = { .nodes = 0 };
	int picture_code = COMMAND_OK;
	struct numa_values values = { .most = MOST, .uses = &uses, .picture_code = &picture_code };
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	const struct show_how how = {
		.phase = values.phase,
		.modelled = true,
		.machine = values.machine ? values.machine : MACHINES_HOST,
		.places = values.places,
		.pages = values.pages,
		.ranges = values.ranges,
		.huge_pages = values.huge_pages,
		.jobs = values.jobs,
		.or_placements = !values.machine && !values.ranges,
		.uses = &uses,
	};

	if (code != COMMAND_GO_ON)
		return code;
	code = show_runs(self, nr, argv, &how, print_numa, &values);
	return code == COMMAND_OK ? picture_code : code;
}

const struct command cmd_numa = {
	.name = "numa",
	.operands = "[FILE]",
	.summary = "rank arrays by accesses to the memory of other NUMA nodes",
	.details =
		"FILE is a record (.ms); without it the newest of the current folder is taken. What it keeps of the program's accesses is simulated: name a machine with several"
		" NUMA nodes where this one has one.",
	.options = options,
	.run = run_numa,
};
