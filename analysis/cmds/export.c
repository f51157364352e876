/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch export`: runs in formats of other tools. */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/diff_runs.h"
#include "analysis/cmds/output_file.h"
#include "analysis/cmds/show.h"
#include "analysis/differential/export.h"
#include "analysis/report/text.h"

/*
 * values of a parameter, below which Extra-P makes no model of it (docs/quick-start.md of its
 * sources)
 */
#define EXTRAP_LEAST 5

struct export_values {
	const char *format, *output, *machine, *properties;
	uint64_t jobs;
};

static const struct command_option options[] = {
	{ .name = "format",
	  .type = COMMAND_CHOICE,
	  .metavariable = "csv|extrap|hatchet|speedscope|perfetto",
	  .offset = offsetof(struct export_values, format),
	  .help = "csv: one row a value; extrap: JSON for Extra-P 4; hatchet: Caliper's split JSON, for Hatchet and Thicket; speedscope, perfetto: a mean execution of the phase, regions by thread (default: csv)" },
	{ .name = "output",
	  .letter = 'o',
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct export_values, output),
	  .help = "write to this file; several runs in formats of one run go to FILE-1, FILE-2 …, before the ending (default: standard output)" },
	{ .name = "machine",
	  .type = COMMAND_STRING,
	  .metavariable = "NAME",
	  .offset = offsetof(struct export_values, machine),
	  .help = "simulate records on this machine, or take its runs of a store: a name of `memsearch machine --list`, a file, or host (default)" },
	SHOW_JOBS(struct export_values),
	{ .name = "properties",
	  .type = COMMAND_STRING,
	  .metavariable = "FILES",
	  .offset = offsetof(struct export_values, properties),
	  .help = "more property files or folders, separated by colons" },
	{ 0 }
};

struct export
{
	const struct command *command;
	struct arena *arena;
	const struct export_values *values;
	const struct export_format *format;
	struct diff_runs runs;
	struct match match;
	struct exports exports;
};

/* "x.json" -> "x-3.json" */
static const char *numbered(struct arena *arena, const char *path, size_t number)
{
	const char *dot = strrchr(base_name(path), '.');
	size_t stem = dot && dot != base_name(path) ? (size_t)(dot - path) : strlen(path);

	return arena_printf(arena, "%.*s-%zu%s", (int)stem, path, number, path + stem);
}

static int write_one(struct export *export, const char *path, size_t run)
{
	struct text out;
	const char *why;

	text_init(&out, export->arena);
	why = export->format->write(&out, &export->exports, run);
	if (why)
		return command_usage(export->command, "%s", why);
	return path ? output_file_write(
			      path, &out, export->format->begin,
			      arena_printf(export->arena, "%s export", export->format->name))
		    : command_print(&out);
}

static int write_each(struct export *export)
{
	size_t nr = export->runs.nr;
	int code = COMMAND_OK;

	if (!export->values->output)
		return command_usage(
			export->command,
			"--format %s has one run in a file, and there are %zu runs: name files with --output, or one run behind @",
			export->format->name, nr);
	for (size_t run = 0; run < nr && code == COMMAND_OK; run++) {
		const char *path = numbered(export->arena, export->values->output, run + 1);

		code = path ? write_one(export, path, run) : COMMAND_BAD_DATA;
	}
	return code;
}

static size_t different_threads(const struct diff_runs *runs)
{
	size_t nr = 0;

	for (size_t i = 0; i < runs->nr; i++) {
		size_t before = 0;

		while (before < i && runs->profiles[before]->threads != runs->profiles[i]->threads)
			before++;
		nr += before == i;
	}
	return nr;
}

static void say_left_out(const struct export *export)
{
	size_t threads = different_threads(&export->runs);

	if (export->exports.left_out)
		log_warning(
			"%zu metrics of regions or data structures were not measured at every point, and are left out, as Extra-P needs them at each",
			export->exports.left_out);
	if (!strcmp(export->format->name, "extrap") && threads > 1 && threads < EXTRAP_LEAST)
		log_warning(
			"there are %zu numbers of threads: Extra-P needs %d values of a parameter for a model",
			threads, EXTRAP_LEAST);
}

static int export_all(struct export *export, int nr, char **operands)
{
	const struct export_values *values = export->values;
	struct show_how how = { .properties = values->properties,
				.modelled = true,
				.machine = values->machine,
				.jobs = values->jobs };
	struct arena *of_run = arena_new();
	int code = of_run ? diff_runs_all(export->command, export->arena, of_run, nr, operands,
					  &how, export->format->by, &export->runs)
			  : COMMAND_BAD_DATA;

	arena_free(of_run);
	if (code != COMMAND_GO_ON)
		return code;
	if (!match_profiles(export->arena, export->runs.profiles, export->runs.sides,
			    export->runs.nr, &export->match) ||
	    !exports_of(export->arena, &export->match, &export->exports))
		return COMMAND_BAD_DATA;
	if (export->format->one_run && export->runs.nr > 1)
		return write_each(export);
	code = write_one(export, values->output, 0);
	if (code == COMMAND_OK)
		say_left_out(export);
	return code;
}

static int run_export(const struct command *self, int argc, char **argv)
{
	struct export_values values = { .format = "csv" };
	struct export export = { .command = self, .values = &values };
	int nr, code = command_parse(self, &values, argc, argv, &nr);

	if (code != COMMAND_GO_ON)
		return code;
	if (!nr)
		return command_usage(self, "no runs to export: name records or a store");
	export.format = export_format(values.format);
	export.arena = arena_new();
	code = export.arena ? export_all(&export, nr, argv) : COMMAND_BAD_DATA;
	arena_free(export.arena);
	return code;
}

const struct command cmd_export = {
	.name = "export",
	.operands = "RECORD|STORE...",
	.summary =
		"write runs in formats of other tools: CSV, Extra-P, Hatchet, speedscope, Perfetto",
	.details =
		"Operands are as of `memsearch diff`: records and stores, and behind @ settings of their runs: sweep.db@machine=altix-bx2. Values are sums over all threads in one "
		"mean execution of the phase; times are in ns. What was not measured is missing or null, never 0.",
	.options = options,
	.run = run_export,
};
