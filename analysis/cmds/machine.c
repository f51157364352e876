/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memsearch machine`: a modelled machine beside this one or another, and the mistakes in a machine
 * file.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/list_machines.h"
#include "analysis/cmds/machine_file.h"
#include "analysis/machine/figure.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model_check.h"
#include "analysis/machine/model_host.h"
#include "analysis/machine/model_text.h"
#include "analysis/report/json.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"

#define WIDTH 100 /* columns of text, as everywhere */
#define SHOWN_MAX 2

struct machine_values {
	const char *format, *check;
	bool list, as_file;
};

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct machine_values),
	{ .name = "list",
	  .letter = 'l',
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct machine_values, list),
	  .help = "list the machines there are" },
	{ .name = "as-file",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct machine_values, as_file),
	  .help = "print this machine, or NAME, as a machine file, to be named on others" },
	{ .name = "check",
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct machine_values, check),
	  .help = "check a machine file, and print its errors" },
	{ 0 }
};

struct shown {
	struct arena *arena;
	const struct model_file *files[SHOWN_MAX];
	size_t nr;
};

/* -- which machines */

static int add_machine(struct shown *shown, const struct model_file *file)
{
	if (!file)
		return COMMAND_BAD_DATA;
	if (model_tell_mistakes(shown->arena, file))
		return COMMAND_BAD_DATA;
	shown->files[shown->nr++] = file;
	return COMMAND_OK;
}

static int add_named(const struct command *self, struct shown *shown, const char *name)
{
	const char *path;
	int code;

	if (!strcmp(name, MACHINES_HOST))
		return add_machine(shown, model_host(shown->arena));
	code = machines_find(self, shown->arena, name, &path);
	return code == COMMAND_OK ? add_machine(shown, model_read(shown->arena, path)) : code;
}

/* -- one figure */

static bool is_shown(const struct shown *shown, const struct figure *figure)
{
	for (size_t i = 0; i < shown->nr; i++)
		if (figure_applies(figure, &shown->files[i]->model))
			return true;
	return false;
}

/* "232 to 512 cycles"; NULL: there are none. */
static const char *distances_text(struct arena *arena, const struct machine_model *model)
{
	uint32_t least = UINT32_MAX, most = 0;

	for (uint32_t i = 0; i < model->nodes; i++) {
		for (uint32_t j = 0; j < model->nodes; j++) {
			least = model->distances[i][j] < least ? model->distances[i][j] : least;
			most = model->distances[i][j] > most ? model->distances[i][j] : most;
		}
	}
	return model_has_distances(model)
		       ? arena_printf(arena, "%" PRIu32 " to %" PRIu32 " cycles", least, most)
		       : NULL;
}

/* -- text */

static void print_heading(struct text *out, const struct model_file *file)
{
	text_add_plain(out, file->model.name);
	if (*file->title) {
		text_add(out, ": ");
		text_wrap(out, file->title, 4, WIDTH);
	}
	text_add(out, "\n    ");
	text_wrap(out, file->model.source, 4, WIDTH);
	text_add(out, "\n");
}

static const char *value_text(struct arena *arena, const struct figure *figure,
			      const struct machine_model *model)
{
	return figure_is_none(figure, model) ? NULL : figure_text(arena, figure, model);
}

static void add_row(struct table *table, const struct shown *shown, const struct figure *figure)
{
	table_string(table, figure->key);
	for (size_t i = 0; i < shown->nr; i++)
		table_string(table, value_text(shown->arena, figure, &shown->files[i]->model));
	table_string(table, model_source_of(shown->files[0], figure->key));
}

static void add_distances(struct table *table, const struct shown *shown)
{
	bool any = false;

	for (size_t i = 0; i < shown->nr; i++)
		any |= model_has_distances(&shown->files[i]->model);
	if (!any)
		return;
	table_string(table, "distances");
	for (size_t i = 0; i < shown->nr; i++)
		table_string(table, distances_text(shown->arena, &shown->files[i]->model));
	table_string(table, model_source_of(shown->files[0], "distances.0"));
}

static int print_text(const struct shown *shown)
{
	const struct table_column columns[SHOWN_MAX + 2] = {
		{ "figure", NULL },
		{ shown->files[0]->model.name, NULL },
		{ shown->nr > 1 ? shown->files[1]->model.name : "source", NULL },
		{ "source", NULL },
	};
	const struct figure *all;
	size_t nr = figures(&all);
	struct table table;
	struct text out;

	text_init(&out, shown->arena);
	for (size_t i = 0; i < shown->nr; i++)
		print_heading(&out, shown->files[i]);
	text_add(&out, "\n");
	table_init(&table, shown->arena, "figures", columns, shown->nr + 2);
	table.footer = shown->nr > 1 ? arena_printf(shown->arena,
						    "source: where the figure of %s is from",
						    shown->files[0]->model.name)
				     : NULL;
	for (size_t i = 0; i < nr; i++)
		if (is_shown(shown, &all[i]))
			add_row(&table, shown, &all[i]);
	add_distances(&table, shown);
	table_print(&out, &table, "text");
	return command_print(&out);
}

/* -- for programs */

/* A figure as a number of its unit, or its word; NULL: the machine has none. */
static const char *plain_value(struct arena *arena, const struct figure *figure,
			       const struct machine_model *model)
{
	if (!value_text(arena, figure, model))
		return NULL;
	if (figure->kind == FIGURE_WORD)
		return figure_text(arena, figure, model);
	return arena_printf(arena, "%" PRIu64, figure_get(figure, model));
}

static int print_csv(const struct shown *shown)
{
	static const struct table_column columns[] = {
		{ "machine", NULL }, { "figure", NULL }, { "value", NULL },
		{ "unit", NULL },    { "source", NULL },
	};
	const struct figure *all;
	size_t nr = figures(&all);
	struct table table;
	struct text out;

	table_init(&table, shown->arena, "figures", columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < shown->nr; i++) {
		for (size_t j = 0; j < nr; j++) {
			const char *value = plain_value(shown->arena, &all[j],
							&shown->files[i]->model);

			if (!value)
				continue;
			table_string(&table, shown->files[i]->model.name);
			table_string(&table, all[j].key);
			table_string(&table, value);
			table_string(&table, figure_unit(&all[j]));
			table_string(&table, model_source_of(shown->files[i], all[j].key));
		}
	}
	text_init(&out, shown->arena);
	table_print(&out, &table, "csv");
	return command_print(&out);
}

static void json_figures(struct json *json, struct arena *arena, const struct model_file *file)
{
	const struct figure *all;
	size_t nr = figures(&all);

	json_open(json, "figures", '[');
	for (size_t i = 0; i < nr; i++) {
		if (!value_text(arena, &all[i], &file->model))
			continue;
		json_open(json, NULL, '{');
		json_string(json, "figure", all[i].key);
		if (all[i].kind == FIGURE_WORD)
			json_string(json, "value", figure_text(arena, &all[i], &file->model));
		else
			json_unsigned(json, "value", figure_get(&all[i], &file->model));
		json_string(json, "unit", figure_unit(&all[i]));
		json_string(json, "meaning", all[i].meaning);
		json_string(json, "source", model_source_of(file, all[i].key));
		json_close(json);
	}
	json_close(json);
}

static void json_distances(struct json *json, const struct machine_model *model)
{
	if (!model_has_distances(model))
		return json_null(json, "distances");
	json_open(json, "distances", '[');
	for (uint32_t i = 0; i < model->nodes; i++) {
		json_open(json, NULL, '[');
		for (uint32_t j = 0; j < model->nodes; j++)
			json_unsigned(json, NULL, model->distances[i][j]);
		json_close(json);
	}
	json_close(json);
}

static int print_json(const struct shown *shown)
{
	struct json json;
	struct text out;

	text_init(&out, shown->arena);
	json_init(&json, &out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "memsearch-machine-1");
	json_open(&json, "machines", '[');
	for (size_t i = 0; i < shown->nr; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "name", shown->files[i]->model.name);
		json_string(&json, "title", shown->files[i]->title);
		json_string(&json, "file", shown->files[i]->model.path);
		json_string(&json, "source", shown->files[i]->model.source);
		json_figures(&json, shown->arena, shown->files[i]);
		json_distances(&json, &shown->files[i]->model);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
	return command_print(&out);
}

/*
 * This machine is printed beside the named one; if it cannot be examined the named one is printed
 * alone.
 */
static int show(const struct command *self, struct arena *arena, int nr, char **names,
		const char *format)
{
	struct shown shown = { .arena = arena };
	int code = COMMAND_OK;

	for (int i = 0; i < nr && code == COMMAND_OK; i++)
		code = add_named(self, &shown, names[i]);
	if (code != COMMAND_OK)
		return code;
	if (nr < 2 && !(nr && !strcmp(names[0], MACHINES_HOST)))
		code = add_machine(&shown, model_host(arena));
	if (!shown.nr)
		return code;
	return !strcmp(format, "json")  ? print_json(&shown)
	       : !strcmp(format, "csv") ? print_csv(&shown)
					: print_text(&shown);
}

static int print_file(const struct command *self, struct arena *arena, const char *name)
{
	struct shown shown = { .arena = arena };
	int code = add_named(self, &shown, name);
	struct text out;

	if (code != COMMAND_OK)
		return code;
	text_init(&out, arena);
	machine_file_print(&out, shown.files[0]);
	return command_print(&out);
}

/* -- the mistakes in a file */

static void tabulate_mistakes(struct table *table, struct arena *arena,
			      const struct model_file *file)
{
	static const struct table_column columns[] = { { "file", NULL },
						       { "line", "1" },
						       { "message", NULL } };

	table_init(table, arena, "mistakes", columns, sizeof(columns) / sizeof(*columns));
	table->schema = "memsearch-mistakes-1";
	for (size_t i = 0; i < file->nr_mistakes; i++) {
		table_string(table, file->path);
		table_number(table, file->mistakes[i].line ? file->mistakes[i].line : NAN);
		table_string(table, file->mistakes[i].text);
	}
}

/* As compilers print them, so that editors jump to the place. */
static void print_mistakes(struct text *out, const struct model_file *file)
{
	for (size_t i = 0; i < file->nr_mistakes; i++) {
		text_add_plain(out, model_mistake_line(out->arena, file, &file->mistakes[i]));
		text_add(out, "\n");
	}
	if (file->nr_mistakes)
		return;
	text_add_plain(out, file->path);
	text_printf(out, ": %" PRIu32 " core%s on %" PRIu32 " node%s, no mistakes\n",
		    file->model.cores, file->model.cores == 1 ? "" : "s", file->model.nodes,
		    file->model.nodes == 1 ? "" : "s");
}

static int check(struct arena *arena, const char *path, const char *format)
{
	const struct model_file *file = model_read(arena, path);
	struct table table;
	struct text out;
	int code;

	if (!file)
		return COMMAND_BAD_DATA;
	text_init(&out, arena);
	tabulate_mistakes(&table, arena, file);
	if (strcmp(format, "text") != 0)
		table_print(&out, &table, format);
	else
		print_mistakes(&out, file);
	code = command_print(&out);
	return code == COMMAND_OK && file->nr_mistakes ? COMMAND_BAD_DATA : code;
}

static int list(struct arena *arena, const char *format)
{
	struct table table;
	struct text out;
	int code = list_machines(arena, &table), printed;

	text_init(&out, arena);
	table_print(&out, &table, format);
	printed = command_print(&out);
	return code == COMMAND_OK ? printed : code;
}

static int run_machine(const struct command *self, int argc, char **argv)
{
	struct machine_values values = { 0 };
	int nr, most, code = command_parse(self, &values, argc, argv, &nr);
	struct arena *arena;
	const char *format;

	if (code != COMMAND_GO_ON)
		return code;
	most = values.list || values.check ? 0 : values.as_file ? 1 : SHOWN_MAX;
	if (nr > most)
		return command_usage(self, "'%s' is too much", argv[nr - 1]);
	if (values.list + values.as_file + (values.check != NULL) > 1)
		return command_usage(self, "--list, --as-file and --check do not go together");
	arena = arena_new();
	if (!arena)
		return COMMAND_BAD_DATA;
	format = values.format ? values.format : "text";
	code = values.check     ? check(arena, values.check, format)
	       : values.list    ? list(arena, format)
	       : values.as_file ? print_file(self, arena, nr ? argv[0] : MACHINES_HOST)
				: show(self, arena, nr, argv, format);
	arena_free(arena);
	return code;
}

const struct command cmd_machine = {
	.name = "machine",
	.operands = "[NAME|FILE [NAME|FILE]]",
	.summary = "print a modelled machine beside this one, or check a machine file",
	.details =
		"A modelled machine is what the simulated PMU counts on: cores, caches, TLBs, NUMA nodes and their latencies. NAME is one of `memsearch machine "
		"--list`, or host for this machine; FILE has a slash or ends in .machine. With two, these are printed beside each other; with one, it and this "
		"machine; with none, this machine. What another machine recorded is simulated with its own caches by --machine FILE of the other commands, where FILE was written there "
		"by `memsearch machine --as-file > FILE.machine`.",
	.options = options,
	.run = run_machine,
};
