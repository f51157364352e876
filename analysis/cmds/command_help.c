/* SPDX-License-Identifier: Apache-2.0 */
/* Help, and lists for machines, from the tables of commands and options. */
#include "analysis/cmds/command.h"
#include "analysis/cmds/command_help.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/text.h"

#define WIDTH 80
#define HELP_COLUMN 28 /* where the help text of an option begins */
#define SUMMARY_COLUMN 14

/* Goes to `column`, on a new line if the text is there already. */
static void pad_to(struct text *out, size_t line_start, int column)
{
	int at = (int)(out->length - line_start);

	if (at + 1 < column)
		text_printf(out, "%*s", column - at, "");
	else
		text_printf(out, "\n%*s", column, "");
}

const char *command_option_help(struct arena *arena, const struct command_option *option)
{
	const char *help = option->help;

	if (option->initial && *option->initial)
		help = arena_printf(arena, "%s (default: %s)", help, option->initial);
	return help ? help : option->help;
}

static void help_line(struct text *out, const struct command_option *option)
{
	size_t start = out->length;

	if (option->letter)
		text_printf(out, "  -%c%s", option->letter, option->name ? ", " : " ");
	else
		text_add(out, "      ");
	if (option->name)
		text_printf(out, "--%s%s", option->name, option->metavariable ? " " : "");
	if (option->metavariable)
		text_add_plain(out, option->metavariable);
	pad_to(out, start, HELP_COLUMN);
	text_wrap(out, command_option_help(out->arena, option), HELP_COLUMN, WIDTH);
	text_add(out, "\n");
}

void command_help(struct text *out, const struct command *command)
{
	text_printf(out, "usage: memsearch %s [OPTIONS]%s%s\n\n", command->name,
		    *command->operands ? " " : "", command->operands);
	text_wrap(out, command->summary, 0, WIDTH);
	text_add(out, "\n\n");
	if (command->details) {
		text_wrap(out, command->details, 0, WIDTH);
		text_add(out, "\n\n");
	}
	for (const struct command_option *option = command_option_next(command, NULL); option;
	     option = command_option_next(command, option))
		help_line(out, option);
}

void command_list_options(struct text *out, const struct command *command)
{
	for (const struct command_option *option = command_option_next(command, NULL); option;
	     option = command_option_next(command, option)) {
		if (option->name)
			text_printf(out, "--%s", option->name);
		text_add(out, "\t");
		if (option->letter)
			text_printf(out, "-%c", option->letter);
		text_printf(out, "\t%s\t%s\n", option->metavariable ? option->metavariable : "",
			    command_option_help(out->arena, option));
	}
}

void command_list(struct text *out)
{
	text_add(out, "usage: memsearch COMMAND [OPTIONS] [OPERANDS]\n\ncommands:\n");
	for (size_t i = 0; commands[i]; i++) {
		size_t start = out->length;

		text_printf(out, "  %s", commands[i]->name);
		pad_to(out, start, SUMMARY_COLUMN);
		text_wrap(out, commands[i]->summary, SUMMARY_COLUMN, WIDTH);
		text_add(out, "\n");
	}
	text_add(
		out,
		"\n`memsearch COMMAND -h` explains one, `memsearch --version -v` lists what was built in.\n"
		"Without memsearch: OMP_TOOL_LIBRARIES=PREFIX/lib/libmemsearch.so ./program\n");
}
