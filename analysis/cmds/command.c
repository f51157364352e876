/* SPDX-License-Identifier: Apache-2.0 */
/* Parses command lines by tables of options. */
#include "analysis/cmds/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command_help.h"
#include "analysis/cmds/pager.h"
#include "analysis/report/text.h"

#define NAMES_MAX 64 /* options considered for "did you mean"; no table is that large */

const struct command *const commands[] = {
#define X(name) &cmd_##name,
	COMMAND_LIST(X)
#undef X
		NULL
};

static const struct command_option help_option = {
	.name = "help",
	.letter = 'h',
	.type = COMMAND_FLAG,
	.help = "print this help",
};

const struct command_option *command_option_next(const struct command *command,
						 const struct command_option *option)
{
	if (option == &help_option)
		return NULL;
	option = option ? option + 1 : command->options;
	return option && (option->name || option->letter) ? option : &help_option;
}

#define FOR_EACH_OPTION(option, command) \
	for (const struct command_option *option = command_option_next(command, NULL); option; \
	     option = command_option_next(command, option))

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

int command_none(const char *name)
{
	const char *names[sizeof(commands) / sizeof(*commands) + 2];
	const char *nearest, *kind = *name == '-' ? "option" : "command";
	size_t nr = 0;

	for (; commands[nr]; nr++)
		names[nr] = commands[nr]->name;
	names[nr++] = "--version";
	names[nr++] = "--help";
	nearest = log_nearest(name, names, nr);
	if (nearest)
		log_warning("unknown %s '%s'; did you mean '%s'?", kind, name, nearest);
	else
		log_warning("unknown %s '%s'; `memsearch help` lists them", kind, name);
	return COMMAND_USAGE;
}

int command_usage(const struct command *command, const char *format, ...)
{
	char message[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	log_warning("%s; see `memsearch %s -h`", message, command->name);
	return COMMAND_USAGE;
}

int command_unknown(const struct command *command, const char *kind, const char *word,
		    const char *const *names, size_t nr)
{
	const char *nearest = log_nearest(word, names, nr);

	if (!nearest)
		return command_usage(command, "unknown %s '%s'", kind, word);
	log_warning("unknown %s '%s'; did you mean '%s'?", kind, word, nearest);
	return COMMAND_USAGE;
}

int command_print(const struct text *text)
{
	size_t done = pager_show(text) ? text->length : 0;

	while (done < text->length) {
		ssize_t nr = write(STDOUT_FILENO, text->bytes + done, text->length - done);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0) {
			log_warning_errno("cannot write to standard output");
			return COMMAND_BAD_DATA;
		}
		done += (size_t)nr;
	}
	if (text->cut) {
		log_warning("the output was cut: out of memory");
		return COMMAND_BAD_DATA;
	}
	return COMMAND_OK;
}

/* -- values */

/* Is `word` one of "a|b|c"? */
static bool is_choice(const char *choices, const char *word)
{
	size_t length = strlen(word);

	for (;;) {
		size_t nr = strcspn(choices, "|");

		if (nr == length && !memcmp(choices, word, nr))
			return true;
		if (!choices[nr])
			return false;
		choices += nr + 1;
	}
}

bool command_parse_unsigned(const char *value, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(value, &end, 10);
	return !errno && *value >= '0' && *value <= '9' && !*end;
}

/* Values of options that were named more than once, joined; needed until the program ends. */
struct joined {
	struct joined *next;
	char text[];
};
static struct joined *all_joined;

/* NULL: no memory. */
static const char *lengthen(const char *list, char separator, const char *value)
{
	size_t nr = list ? strlen(list) : 0, bytes = nr + strlen(value) + 2;
	struct joined *both = nr ? malloc(sizeof(*both) + bytes) : NULL;

	if (!nr)
		return value;
	if (!both)
		return NULL;
	snprintf(both->text, bytes, "%s%c%s", list, separator, value);
	both->next = all_joined;
	all_joined = both;
	return both->text;
}

static bool is_list(const struct command_option *option)
{
	return option->type == COMMAND_LIST_OF || option->type == COMMAND_LINES_OF;
}

/* `shown`: the option as the user typed it. */
static int store_value(const struct command *command, const struct command_option *option,
		       const char *shown, const char *value, char *place)
{
	char error[160] = "";

	if (option->type == COMMAND_FLAG) {
		*(bool *)place = true;
		return COMMAND_GO_ON;
	}
	if (option->type == COMMAND_UNSIGNED) {
		if (command_parse_unsigned(value, (uint64_t *)place))
			return COMMAND_GO_ON;
		return command_usage(command, "%s: '%s' is not a whole number", shown, value);
	}
	if (option->type == COMMAND_CHOICE && !is_choice(option->metavariable, value))
		return command_usage(command, "%s: '%s' is not one of %s", shown, value,
				     option->metavariable);
	if (option->type == COMMAND_LINES_OF && strchr(value, '\n'))
		return command_usage(command, "%s: '%s' has a line break", shown, value);
	if (is_list(option) &&
	    !(value = lengthen(*(const char **)place, option->type == COMMAND_LIST_OF ? ',' : '\n',
			       value)))
		return COMMAND_BAD_DATA;
	if ((option->type == COMMAND_CHECKED || is_list(option)) && option->check &&
	    !option->check(option->name, value, error))
		return command_usage(command, "%s: %s", shown, error);
	*(const char **)place = option->type == COMMAND_CONSTANT ? option->constant : value;
	return COMMAND_GO_ON;
}

/* -- options */

struct parser {
	const struct command *command;
	char *values;
	int argc, at; /* argv[at] is the next argument */
	char **argv;
};

static int print_help(const struct command *command)
{
	struct arena *arena = arena_new();
	struct text out;
	int code;

	if (!arena)
		return COMMAND_BAD_DATA;
	text_init(&out, arena);
	command_help(&out, command);
	code = command_print(&out);
	arena_free(arena);
	return code;
}

/* The next word, if it is a value of an option that need not have one. */
static const char *optional_value(struct parser *parser, const struct command_option *option)
{
	const char *next = parser->at + 1 < parser->argc ? parser->argv[parser->at + 1] : "";
	size_t nr = strlen(next), end = strlen(option->constant);

	if (nr <= end || strcmp(next + nr - end, option->constant) != 0)
		return "";
	return parser->argv[++parser->at];
}

/* The next word; NULL: there is none, or it is an option. --NAME=VALUE takes any value. */
static char *required_value(struct parser *parser)
{
	char *next = parser->at + 1 < parser->argc ? parser->argv[parser->at + 1] : NULL;

	if (!next || !strncmp(next, "--", 2))
		return NULL;
	parser->at++;
	return next;
}

static int use_option(struct parser *parser, const struct command_option *option, const char *shown,
		      const char *value)
{
	if (option == &help_option)
		return print_help(parser->command);
	if (option->type == COMMAND_OPTIONAL && !value)
		value = optional_value(parser, option);
	if (option->metavariable && !value) {
		value = required_value(parser);
		if (!value)
			return command_usage(parser->command, "%s needs a value: %s", shown,
					     option->metavariable);
	}
	return store_value(parser->command, option, shown, value, parser->values + option->offset);
}

static int unknown_option(const struct command *command, const char *name)
{
	const char *names[NAMES_MAX], *nearest;
	size_t nr = 0;

	FOR_EACH_OPTION(option, command)
	if (option->name && nr < NAMES_MAX)
		names[nr++] = option->name;
	nearest = log_nearest(name, names, nr);
	if (!nearest)
		return command_usage(command, "unknown option '--%s'", name);
	log_warning("unknown option '--%s'; did you mean '--%s'?", name, nearest);
	return COMMAND_USAGE;
}

/* `word` is "--name" or "--name=value". */
static int parse_long(struct parser *parser, char *word)
{
	char *value = strchr(word, '=');
	size_t nr = value ? (size_t)(value - word) : strlen(word);

	FOR_EACH_OPTION(option, parser->command)
	{
		if (!option->name || strlen(option->name) != nr - 2 ||
		    memcmp(option->name, word + 2, nr - 2))
			continue;
		if (value && !option->metavariable)
			return command_usage(parser->command, "--%s takes no value", option->name);
		if (value)
			*value = '\0';
		return use_option(parser, option, word, value ? value + 1 : NULL);
	}
	if (value)
		*value = '\0';
	return unknown_option(parser->command, word + 2);
}

/* `word` is "-abc", or "-oFILE" where -o takes a value. */
static int parse_letters(struct parser *parser, const char *word)
{
	for (const char *letter = word + 1; *letter; letter++) {
		const struct command_option *option = command_option_next(parser->command, NULL);
		char shown[3] = { '-', *letter };
		bool rest;
		int code;

		while (option && option->letter != *letter)
			option = command_option_next(parser->command, option);
		if (!option)
			return command_usage(parser->command, "unknown option '%s'", shown);
		rest = option->metavariable && letter[1];
		code = use_option(parser, option, shown, rest ? letter + 1 : NULL);
		if (code != COMMAND_GO_ON || rest)
			return code;
	}
	return COMMAND_GO_ON;
}

int command_parse(const struct command *command, void *values, int argc, char **argv,
		  int *nr_operands_out)
{
	struct parser parser = { .command = command, .values = values, .argc = argc, .argv = argv };
	bool ended = false; /* "--" was met, or an operand that ends our options */
	int nr = 0;

	for (parser.at = 1; parser.at < argc; parser.at++) {
		char *word = argv[parser.at];
		int code;

		if (!ended && !strcmp(word, "--")) {
			ended = true;
			continue;
		}
		if (ended || word[0] != '-' || !word[1]) {
			argv[nr++] = word;
			ended |= command->stop_at_operand;
			continue;
		}
		code = word[1] == '-' ? parse_long(&parser, word) : parse_letters(&parser, word);
		if (code != COMMAND_GO_ON)
			return code;
	}
	argv[nr] = NULL;
	*nr_operands_out = nr;
	return COMMAND_GO_ON;
}
