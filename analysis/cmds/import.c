/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch import`: puts records (and other stores) into the store of a series of experiments. */
#include "analysis/base/arena.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/show.h"
#include "analysis/cmds/simulate_record.h"
#include "analysis/cmds/stored_causes.h"
#include "analysis/record/record.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/store/store.h"

struct import_values {
	const char *output, *format;
};

static const struct command_option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .type = COMMAND_STRING,
	  .metavariable = "STORE",
	  .offset = offsetof(struct import_values, output),
	  .help = "the store to put them into, created where it does not exist (default: memsearch.db)" },
	COMMAND_FORMAT_ROWS(struct import_values),
	{ 0 }
};

static const struct table_column columns[] = {
	{ "run", "1" }, { "program", NULL }, { "threads", "1" }, { "end", NULL }, { "from", NULL },
};

struct import {
	const struct command *command;
	struct arena *arena;
	const char *output;
	/* opened when the first run is there, so that none is made for nothing */
	struct store *store;
	struct table table;
};

static void list_run(struct import *import, const struct run *run, int64_t id, const char *path)
{
	table_number(&import->table, (double)id);
	table_string(&import->table, arena_strdup(import->arena, run->program));
	table_number(&import->table, run->threads);
	table_string(&import->table, run->complete ? "complete" : "cut off");
	table_string(&import->table, path);
}

static enum ms_status import_run(struct import *import, struct arena *arena, const struct run *run,
				 const char *path)
{
	enum ms_status status = MS_OK;
	struct store_causes causes;
	int64_t id;

	if (!stored_causes(arena, run, &causes))
		return MS_ERR_MEMORY;
	if (!import->store)
		status = store_open(import->output, true, &import->store);
	if (status == MS_OK)
		status = store_add(import->store, run, &causes, &id);
	if (status == MS_OK)
		list_run(import, run, id, path);
	return status;
}

/*
 * Stores keep no recorded accesses: what is reported of them is found now. What cannot be simulated
 * is said, and the run stored without it.
 */
static void complete_runs(const struct import *import, struct arena *arena, const char *path,
			  struct run *runs, size_t nr)
{
	struct show_how how = { .machine = NULL };

	show_as_after_run(&how);
	if (how.modelled && record_is(path))
		simulate_record(import->command, arena, path, runs, &how);
	for (size_t i = 0; i < nr; i++)
		show_complete(arena, &runs[i], NULL);
}

/* Every file is tried; COMMAND_BAD_DATA when one of them could not be imported. */
static int import_files(struct import *import, int nr, char **paths)
{
	int code = COMMAND_OK;

	for (int i = 0; i < nr; i++) {
		struct arena *arena = arena_new();
		struct run *runs;
		size_t nr_runs;
		enum ms_status status = arena ? store_load(arena, paths[i], &runs, &nr_runs)
					      : MS_ERR_MEMORY;

		if (status == MS_OK)
			complete_runs(import, arena, paths[i], runs, nr_runs);
		for (size_t k = 0; status == MS_OK && k < nr_runs; k++)
			status = import_run(import, arena, &runs[k], paths[i]);
		arena_free(arena);
		if (status != MS_OK)
			code = COMMAND_BAD_DATA;
	}
	return code;
}

static int import(const struct command *self, int argc, char **argv)
{
	struct import_values values = { .output = "memsearch.db", .format = "text" };
	struct import state = { 0 };
	struct text out;
	int nr, printed, code = command_parse(self, &values, argc, argv, &nr);

	if (code != COMMAND_GO_ON)
		return code;
	if (!nr)
		return command_usage(self, "no RECORD given");
	state.command = self;
	state.output = values.output;
	state.arena = arena_new();
	if (!state.arena)
		return COMMAND_BAD_DATA;
	table_init(&state.table, state.arena, "runs", columns,
		   sizeof(columns) / sizeof(columns[0]));
	state.table.schema = "memsearch-import-1";
	code = import_files(&state, nr, argv);
	store_close(state.store);
	text_init(&out, state.arena);
	if (state.table.nr || values.format[0] != 't')
		table_print(&out, &state.table, values.format);
	printed = command_print(&out);
	arena_free(state.arena);
	return code == COMMAND_OK ? printed : code;
}

const struct command cmd_import = {
	.name = "import",
	.operands = "RECORD...",
	.summary = "put records into the store of a series of experiments",
	.details =
		"A store is one SQLite file. Importing the same run again replaces it. Stores may stand "
		"in the place of records: all their runs are imported. Recorded accesses are simulated on a model "
		"of this machine, as for a report, and are not stored.",
	.options = options,
	.run = import,
};
