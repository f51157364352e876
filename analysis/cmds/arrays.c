/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch arrays`: the program's data structures, who touched them first, and what recorded code does to them. */
#include "analysis/report/arrays.h"

#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/show.h"
#include "analysis/report/text.h"

#define MOST 30

struct arrays_values {
	const char *format, *by;
	bool all;
	uint64_t most;
};

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct arrays_values),
	{ .name = "by", .type = COMMAND_CHOICE, .metavariable = "array|line|region|thread", .offset = offsetof(struct arrays_values, by),
	  .help = "list arrays, those that are used most first, the source lines that access and first touched them, regions and what they move on the modelled machine, or threads (default: array)" },
	{ .name = "all", .letter = 'a', .type = COMMAND_FLAG, .offset = offsetof(struct arrays_values, all),
	  .help = "also those smaller than a page, stacks with less than 10 % of the bytes moved, and lines with less than 1 % (text only)" },
	{ .name = "most", .letter = 'n', .type = COMMAND_UNSIGNED, .metavariable = "N", .offset = offsetof(struct arrays_values, most),
	  .help = "print at most N in each table; 0 is all (default: 30; text only)" },
	{ 0 }
};

static enum arrays_by by_of(const char *name)
{
	static const char *const names[] = { [ARRAYS_BY_LINE] = "line", [ARRAYS_BY_REGION] = "region", [ARRAYS_BY_THREAD] = "thread" };

	for (unsigned int by = ARRAYS_BY_LINE; name && by < sizeof(names) / sizeof(names[0]); by++)
		if (!strcmp(name, names[by]))
			return by;
	return ARRAYS_BY_ARRAY;
}

static int print_arrays(struct arena *arena, struct run *runs, size_t nr, const struct arrays_values *values)
{
	const struct run **list = arena_alloc(arena, nr * sizeof(*list));
	const char *format = values->format ? values->format : "text";
	struct report_options brief;
	struct arrays_options arrays = { .all = values->all, .most = values->most };
	struct text out;

	if (!list)
		return COMMAND_BAD_DATA;
	for (size_t i = 0; i < nr; i++) {
		show_complete(arena, &runs[i], NULL);
		list[i] = &runs[i];
	}
	show_options(&brief, STDOUT_FILENO);
	arrays.brief = brief.brief;
	arrays.by = by_of(values->by);
	text_init(&out, arena);
	(!strcmp(format, "json") ? arrays_json : !strcmp(format, "csv") ? arrays_csv : arrays_text)(&out, list, nr, &arrays);
	return command_print(&out);
}

static int run_arrays(const struct command *self, int argc, char **argv)
{
	struct arrays_values values = { .most = MOST };
	struct arena *arena;
	struct run *runs;
	size_t nr_runs;
	int nr, code = command_parse(self, &values, argc, argv, &nr);

	if (code != COMMAND_GO_ON)
		return code;
	arena = arena_new();
	if (!arena)
		return COMMAND_BAD_DATA;
	code = show_load(self, arena, nr, argv, &runs, &nr_runs);
	if (code == COMMAND_GO_ON)
		code = print_arrays(arena, runs, nr_runs, &values);
	arena_free(arena);
	return code;
}

const struct command cmd_arrays = {
	.name = "arrays",
	.operands = "[FILE]",
	.summary = "print the program's data structures, and which code uses them how",
	.details = "FILE is a record (.ms) or a store (.db); without it the newest of the current folder is taken.",
	.options = options,
	.run = run_arrays,
};
