/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch help`: the commands, or the help of one. */
#include "analysis/base/arena.h"
#include "analysis/cmds/command.h"
#include "analysis/report/text.h"

struct help_values {
	bool options;
};

static const struct command_option options[] = {
	{ .name = "options", .type = COMMAND_FLAG, .offset = offsetof(struct help_values, options),
	  .help = "list the options of COMMAND for scripts: name, letter, metavariable and help, separated by tabs" },
	{ 0 }
};

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
	if (!command)
		command_list(&out);
	else if (values.options)
		command_list_options(&out, command);
	else
		command_help(&out, command);
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
