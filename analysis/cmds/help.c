/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch help`: the commands, or the help of one. */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/command_help.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"

struct help_values {
	const char *format;
	bool options;
};

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct help_values),
	{ .name = "options",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct help_values, options),
	  .help = "list the options of COMMAND for scripts: name, letter, metavariable and help, separated by tabs" },
	{ 0 }
};

#define NR(array) (sizeof(array) / sizeof(*(array)))

static void table_of_commands(struct table *table, struct arena *arena)
{
	static const struct table_column columns[] = { { "command", NULL },
						       { "operands", NULL },
						       { "summary", NULL } };

	table_init(table, arena, "commands", columns, NR(columns));
	table->schema = "memsearch-help-1";
	for (size_t i = 0; commands[i]; i++) {
		table_string(table, commands[i]->name);
		table_string(table, commands[i]->operands);
		table_string(table, commands[i]->summary);
	}
}

static void table_of_options(struct table *table, struct arena *arena,
			     const struct command *command)
{
	static const struct table_column columns[] = {
		{ "name", NULL }, { "letter", NULL }, { "metavariable", NULL }, { "help", NULL }
	};

	table_init(table, arena, "options", columns, NR(columns));
	table->schema = "memsearch-help-options-1";
	for (const struct command_option *option = command_option_next(command, NULL); option;
	     option = command_option_next(command, option)) {
		table_string(table, option->name);
		table_string(table,
			     option->letter ? arena_strndup(arena, &option->letter, 1) : NULL);
		table_string(table, option->metavariable);
		table_string(table, command_option_help(arena, option));
	}
}

/* `command` NULL: of all. */
static void print_help(struct text *out, const struct command *command,
		       const struct help_values *values)
{
	struct table table;

	if (values->format && strcmp(values->format, "text") != 0) {
		if (command)
			table_of_options(&table, out->arena, command);
		else
			table_of_commands(&table, out->arena);
		table_print(out, &table, values->format);
	} else if (!command) {
		command_list(out);
	} else if (values->options) {
		command_list_options(out, command);
	} else {
		command_help(out, command);
	}
}

static int help(const struct command *self, int argc, char **argv)
{
	struct help_values values = { 0 };
	struct arena *arena;
	struct text out;
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	const struct command *command = code == COMMAND_GO_ON && nr ? command_find(argv[0]) : NULL;

	if (code != COMMAND_GO_ON)
		return code;
	if (nr && !command)
		return command_none(argv[0]);
	if (values.options && !command)
		return command_usage(self, "--options needs a command");
	arena = arena_new();
	if (!arena)
		return COMMAND_BAD_DATA;
	text_init(&out, arena);
	print_help(&out, command, &values);
	code = command_print(&out);
	arena_free(arena);
	return code;
}

const struct command cmd_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.summary = "list the commands, or explain one",
	.options = options,
	.run = help,
};
