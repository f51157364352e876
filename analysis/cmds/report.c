/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch report`: the findings of a record or a store. */
#include "analysis/report/report.h"

#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/log.h"
#include "analysis/cmds/array_ranges.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/output_file.h"
#include "analysis/cmds/show.h"
#include "analysis/cmds/source_path.h"
#include "analysis/page/page.h"
#include "analysis/properties/property.h"
#include "analysis/report/text.h"
#include "analysis/simulation/page_use.h"
#include "analysis/store/store.h"

struct report_values {
	uint64_t phase;
	const char *format, *html, *severity, *properties, *machine, *places, *pages, *ranges;
	bool huge_pages, real_addresses, verbose, all, tree;
	uint64_t most, jobs;
	const char *record; /* NULL: the newest */
	struct page_uses *uses;
	int code; /* of the page's file */
};

static const struct command_option options[] = {
	{ .name = "format",
	  .type = COMMAND_CHOICE,
	  .metavariable = "text|json|csv|html|github|sarif",
	  .offset = offsetof(struct report_values, format),
	  .help = "how to print the result; github and sarif have the causes at their source lines (default: text)" },
	{ .name = "json",
	  .type = COMMAND_CONSTANT,
	  .constant = "json",
	  .offset = offsetof(struct report_values, format),
	  .help = "short for --format json" },
	{ .name = "html",
	  .type = COMMAND_OPTIONAL,
	  .metavariable = "[FILE.html]",
	  .constant = ".html",
	  .offset = offsetof(struct report_values, html),
	  .help = "write one page for a browser, with arrays by loops, source lines, threads and first touches, to FILE.html; without it the record's name with .html, in the current folder" },
	{ .name = "verbose",
	  .letter = 'v',
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct report_values, verbose),
	  .help = "every finding with its evidence, what was not measured, and how it was measured (text only)" },
	{ .name = "all",
	  .letter = 'a',
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct report_values, all),
	  .help = "also findings that a more specific finding explains, and candidates that were not proven" },
	{ .name = "tree",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct report_values, tree),
	  .help = "also every candidate of the search, below the one that it refines (text only)" },
	{ .name = "severity",
	  .type = COMMAND_CHOICE,
	  .metavariable = "share|rate",
	  .offset = offsetof(struct report_values, severity),
	  .help = "share of the threads' time (default), or the rate, for properties that have one" },
	{ .name = "most",
	  .letter = 'n',
	  .type = COMMAND_UNSIGNED,
	  .metavariable = "N",
	  .offset = offsetof(struct report_values, most),
	  .help = "print at most N findings of each run; 0 is all (default; text only)" },
	{ .name = "machine",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME",
	  .offset = offsetof(struct report_values, machine),
	  .help = "simulate the recorded accesses on this machine, and search for findings on it: a name of `memsearch machine --list`, a file, or host" },
	SHOW_PLACES(struct report_values),
	SHOW_PAGES(struct report_values),
	{ .name = "range",
	  .type = COMMAND_LIST_OF,
	  .metavariable = "RANGE",
	  .offset = offsetof(struct report_values, ranges),
	  .check = array_ranges_check,
	  .help = "count and simulate this range of an array apart from the rest of it: u[0:9], or u(:,1:10) in Fortran; may be given more than once" },
	SHOW_HUGE_PAGES(struct report_values),
	SHOW_REAL_ADDRESSES(struct report_values),
	SHOW_JOBS(struct report_values),
	{ .name = "properties",
	  .type = COMMAND_STRING,
	  .metavariable = "FILES",
	  .offset = offsetof(struct report_values, properties),
	  .help = "more property files or folders, separated by colons, for runs that were killed before their texts were written" },
	SHOW_PHASE(struct report_values),
	{ 0 }
};

/* "heat.html" of "runs/heat.ms". NULL: no memory. */
static const char *page_name(struct arena *arena, const char *record)
{
	const char *name = base_name(record), *dot = strrchr(name, '.');

	return arena_printf(arena, "%.*s.html",
			    (int)(dot && dot > name ? dot - name : (int)strlen(name)), name);
}

/* To the file of --html, else to `out`. */
static void print_page(struct text *out, const struct run *const *runs, size_t nr,
		       struct report_values *values, const struct report_options *report)
{
	const char *record = values->record ? values->record : store_newest(out->arena);
	const struct page_options page = { .report = *report,
					   .uses = values->uses,
					   .record = record ? base_name(record) : NULL };
	const char *path = values->html;
	struct text text;

	if (!path)
		return page_write(out, runs, nr, &page);
	if (!*path)
		path = page_name(out->arena, record ? record : "memsearch");
	text_init(&text, out->arena);
	page_write(&text, runs, nr, &page);
	values->code = path ? output_file_write(path, &text, PAGE_BEGIN, "page") : COMMAND_BAD_DATA;
	if (values->code == COMMAND_OK)
		log_warning("%s is the page", path);
}

/* NULL: they are not installed. */
static const struct property_set *all_properties(struct arena *arena,
						 const struct report_values *values)
{
	const char *folder = installation_path(arena, INSTALLATION_PROPERTIES);

	return folder ? property_set_load(arena, folder, values->properties) : NULL;
}

static void print_report(struct text *out, const struct run *const *runs, size_t nr,
			 const void *report_values)
{
	struct report_values *values = *(struct report_values *const *)report_values;
	const char *format = values->format ? values->format : "text";
	struct report_options report;

	show_options(&report, STDOUT_FILENO);
	report.verbose = values->verbose;
	report.all = values->all;
	report.tree = values->tree;
	report.most = values->most;
	report.path = source_path;
	report.properties = values->format && !strcmp(values->format, "sarif")
				    ? all_properties(out->arena, values)
				    : NULL;
	report.severity_rate = values->severity && !strcmp(values->severity, "rate");
	if (values->html || !strcmp(format, "html"))
		print_page(out, runs, nr, values, &report);
	else
		report_format(format)(out, runs, nr, &report);
}

static int run_report(const struct command *self, int argc, char **argv)
{
	struct page_uses uses = { .nodes = 0 };
	struct report_values values = { .uses = &uses, .code = COMMAND_OK }, *passed = &values;
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	struct show_how how = {
		.several = !values.html,
		.phase = values.phase,
		.properties = values.properties,
		.machine = values.machine,
		.places = values.places,
		.pages = values.pages,
		.ranges = values.ranges,
		.huge_pages = values.huge_pages,
		.real_addresses = values.real_addresses,
		.jobs = values.jobs,
	};

	if (code != COMMAND_GO_ON)
		return code;
	show_as_after_run(&how);
	how.uses = values.html || (values.format && !strcmp(values.format, "html")) ? &uses : NULL;
	how.several &= !how.uses;
	values.record = nr ? argv[0] : NULL;
	code = show_runs(self, nr, argv, &how, print_report, &passed);
	return code == COMMAND_OK ? values.code : code;
}

const struct command cmd_report = {
	.name = "report",
	.operands = "[FILE...]",
	.summary = "print the findings of a run, and what was not measured",
	.details =
		"FILE is a record (.ms) or a store (.db); without it the newest of the current folder is taken. Runs of several files are printed one after the other; a page shows one file.",
	.options = options,
	.run = run_report,
};
