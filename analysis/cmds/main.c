/* SPDX-License-Identifier: Apache-2.0 */
/* The `memsearch` program: finds the command that was typed and runs it. */
#include <string.h>
#include <sys/resource.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/own_memory.h"
#include "analysis/base/own_stack.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/command_help.h"
#include "analysis/report/text.h"

static int print_version(struct text *out, int argc, char **argv)
{
	text_add(out, "memsearch " MEMSEARCH_VERSION "\n");
	if (argc < 2)
		return command_print(out);
	if (strcmp(argv[1], "-v") != 0) {
		log_warning("--version takes only -v, not '%s'", argv[1]);
		return COMMAND_USAGE;
	}
	text_add(out, "built with:\n");
#define FEATURE(name, package, present) \
	text_printf(out, "  %-10s %-16s %s\n", name, package, present ? "yes" : "no");
#include "features.inc"
#undef FEATURE
	return command_print(out);
}

static int print_commands(struct text *out, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	command_list(out);
	return command_print(out);
}

static int print_completions(struct text *out, int argc, char **argv)
{
	command_complete(out, argc - 1, argv + 1);
	return command_print(out);
}

/*
 * What may stand in the place of a command. --complete is for analysis/man/memsearch.bash, .zsh and
 * .fish.
 */
static const struct {
	const char *word;
	int (*print)(struct text *out, int argc, char **argv);
} words[] = {
	{ "--version", print_version },
	{ "--help", print_commands },
	{ "-h", print_commands },
	{ "--complete", print_completions },
};

static int run_word(size_t i, int argc, char **argv)
{
	struct arena *arena = arena_new();
	struct text out;
	int code;

	if (!arena)
		return COMMAND_BAD_DATA;
	text_init(&out, arena);
	code = words[i].print(&out, argc, argv);
	arena_free(arena);
	return code;
}

static int run(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		log_warning("no command given; `memsearch help` lists them");
		return COMMAND_USAGE;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(argv[1], words[i].word))
			return run_word(i, argc - 1, argv + 1);
	command = command_find(argv[1]);
	return command ? command->run(command, argc - 1, argv + 1) : command_none(argv[1]);
}

struct call {
	int argc;
	char **argv;
	int status;
};

static void run_call(void *argument)
{
	struct call *call = argument;

	call->status = run(call->argc, call->argv);
}

/* Under `ulimit -s 64` a program is to run as it does alone, and its limit is ours. */
int main(int argc, char **argv)
{
	static const size_t usual = 8 << 20; /* of most systems */
	struct call call = { argc, argv, 0 };
	struct rlimit limit;

	own_memory_alone();
	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= usual)
		return run(argc, argv);
	own_stack_run(usual, run_call, &call);
	return call.status;
}
