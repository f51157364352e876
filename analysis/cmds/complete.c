/* SPDX-License-Identifier: Apache-2.0 */
/* Completions of the current word, from the tables of commands and options. */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/command_help.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/list_machines.h"
#include "analysis/machine/machines.h"
#include "analysis/properties/property.h"
#include "analysis/report/text.h"
#include "analysis/search/engine.h"
#include "analysis/search/strategies.h"
#include "memsearch/strategy.h"

static void offer(struct text *out, const char *word, const char *start)
{
	if (!strncmp(word, start, strlen(start)))
		text_printf(out, "%s\n", word);
}

/* Each word of "a|b|c" that begins with `start`. */
static void offer_words(struct text *out, const char *words, const char *start)
{
	size_t typed = strlen(start);

	while (*words) {
		size_t nr = strcspn(words, "|");

		if (nr >= typed && !memcmp(words, start, typed)) {
			text_add_bytes(out, words, nr);
			text_add(out, "\n");
		}
		words += nr + (words[nr] == '|');
	}
}

static void offer_commands(struct text *out, const char *start)
{
	for (size_t i = 0; commands[i]; i++)
		offer(out, commands[i]->name, start);
}

/* A file, too, once a path is typed. */
static void offer_machines(struct text *out, const char *start)
{
	const char *folder = machines_folder(out->arena);
	const char *const *names;
	size_t nr = folder ? machines_names(out->arena, folder, &names) : 0;

	if (strchr(start, '/') || strchr(start, '.')) {
		text_add(out, ":files\n");
		return;
	}
	for (size_t i = 0; i < nr; i++)
		offer(out, names[i], start);
	offer(out, MACHINES_HOST, start);
}

static void offer_strategies(struct text *out, const char *start)
{
	const char *folder = installation_path(out->arena, INSTALLATION_STRATEGIES);
	const struct strategy_list *list = folder ? strategies_load(out->arena, folder) : NULL;

	for (size_t i = 0; list && i < list->nr; i++)
		offer(out, list->strategies[i]->name, start);
}

static void offer_properties(struct text *out, const char *start)
{
	const char *folder = installation_path(out->arena, INSTALLATION_PROPERTIES);
	const struct property_set *set = folder ? property_set_load(out->arena, folder, NULL)
						: NULL;

	for (size_t i = 0; set && i < set->nr; i++)
		offer(out, property_name(set->properties[i]), start);
}

/*
 * Values of options by the option's name, and operands by the command's: where it is a name that
 * the installation has.
 */
static const struct {
	const char *option, *command;
	void (*offer)(struct text *out, const char *start);
} names[] = {
	{ "machine", "machine", offer_machines },
	{ "strategy", NULL, offer_strategies },
	{ NULL, "properties", offer_properties },
	{ NULL, "help", offer_commands },
};

static void offer_value(struct text *out, const struct command_option *option, const char *start)
{
	if (option->type == COMMAND_CHOICE) {
		offer_words(out, option->metavariable, start);
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].option && option->name && !strcmp(option->name, names[i].option)) {
			names[i].offer(out, start);
			return;
		}
	text_add(out, ":files\n");
}

static void offer_options(struct text *out, const struct command *command, const char *start)
{
	for (const struct command_option *option = command_option_next(command, NULL); option;
	     option = command_option_next(command, option))
		if (option->name && strlen(start) <= strlen(option->name) + 2 &&
		    (strlen(start) < 2 || !strncmp(option->name, start + 2, strlen(start) - 2)))
			text_printf(out, "--%s\n", option->name);
}

/* The option that `word` names and whose value comes as the next word. */
static const struct command_option *awaits_value(const struct command *command, const char *word)
{
	for (const struct command_option *option = command_option_next(command, NULL); option;
	     option = command_option_next(command, option)) {
		if (!option->metavariable || option->type == COMMAND_OPTIONAL)
			continue;
		if (option->letter && word[0] == '-' && word[1] == option->letter && !word[2])
			return option;
		if (option->name && word[0] == '-' && word[1] == '-' &&
		    !strcmp(word + 2, option->name))
			return option;
	}
	return NULL;
}

/* Commands of which an operand is a record or a store say so in the text of their operands. */
static bool takes_records(const struct command *command)
{
	return strstr(command->operands, "FILE") || strstr(command->operands, "RECORD") ||
	       strstr(command->operands, "BASE");
}

static void offer_operands(struct text *out, const struct command *command, int nr_before,
			   const char *start)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].command && !strcmp(command->name, names[i].command)) {
			names[i].offer(out, start);
			return;
		}
	if (command->operand_words && nr_before == 0)
		offer_words(out, command->operand_words, start);
	else if (takes_records(command))
		text_add(out, ":records\n");
	else if (*command->operands)
		text_add(out, ":files\n");
}

void command_complete(struct text *out, int nr_words, char *const *words)
{
	const struct command *command = nr_words > 1 ? command_find(words[0]) : NULL;
	const struct command_option *waiting;
	const char *last = nr_words ? words[nr_words - 1] : "";
	int nr_operands = 0;

	if (nr_words <= 1)
		offer_commands(out, last);
	if (!command)
		return;
	for (int i = 1; i < nr_words - 1; i++) {
		if (awaits_value(command, words[i]))
			i++;
		else if (words[i][0] != '-' || !strcmp(words[i], "--"))
			nr_operands++;
	}
	waiting = nr_words > 2 ? awaits_value(command, words[nr_words - 2]) : NULL;
	if (waiting)
		offer_value(out, waiting, last);
	else if (nr_operands && command->stop_at_operand)
		text_add(out, ":files\n");
	else if (last[0] == '-')
		offer_options(out, command, last);
	else
		offer_operands(out, command, nr_operands, last);
}
