/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch watch`: the search of a program that runs, from a second terminal. */
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/show.h"
#include "analysis/cmds/watch_record.h"
#include "analysis/cmds/watch_screen.h"
#include "analysis/cmds/watch_state.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "analysis/store/store.h"

#define POLL_NS 200000000

struct watch_values {
	bool once, lines;
};

static const struct command_option options[] = {
	{ .name = "once",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct watch_values, once),
	  .help = "print the state once" },
	{ .name = "lines",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct watch_values, lines),
	  .help = "print a line for each verdict, as where stdout is no terminal" },
	{ 0 }
};

static int print_once(const struct watch_record *record, int width)
{
	struct text out;

	text_init(&out, record->arena);
	watch_state_print(&out, record->run, !record->ended, width);
	return command_print(&out);
}

static int print_changes(const struct watch_record *record, struct arena *arena, uint8_t **seen,
			 size_t *nr, int width)
{
	uint8_t *states = arena_alloc(arena, record->run->nr_nodes + 1);
	struct text out;

	if (!states)
		return COMMAND_BAD_DATA;
	for (size_t i = 0; i < *nr && i < record->run->nr_nodes; i++)
		states[i] = (*seen)[i];
	text_init(&out, record->arena);
	watch_state_changes(&out, record->run, states, *nr, width);
	*seen = states;
	*nr = record->run->nr_nodes;
	return command_print(&out);
}

/* Until the run ends. */
static int print_lines(struct watch_record *record, struct arena *arena, int width)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };
	uint8_t *seen = NULL;
	size_t nr = 0;
	int code = print_changes(record, arena, &seen, &nr, width);

	while (code == COMMAND_OK && !record->ended) {
		nanosleep(&pause, NULL);
		if (watch_record_read(record))
			code = print_changes(record, arena, &seen, &nr, width);
	}
	return code == COMMAND_OK ? print_once(record, width) : code;
}

static int watch(struct arena *arena, const char *operand, const struct watch_values *values)
{
	struct watch_record record = { .path = watch_record_find(arena, operand) };
	struct report_options report;
	bool screen = !values->once && !values->lines && isatty(STDOUT_FILENO);
	int code = COMMAND_OK;

	if (!record.path || !watch_record_read(&record))
		return COMMAND_BAD_DATA;
	show_options(&report, STDOUT_FILENO);
	if (screen && watch_screen_unsupported())
		log_warning("%s: printing lines", watch_screen_unsupported());
	if (values->once)
		code = print_once(&record, report.width);
	else if (!screen || !watch_screen_run(&record))
		code = print_lines(&record, arena, report.width);
	watch_record_release(&record);
	return code;
}

static int run_watch(const struct command *self, int argc, char **argv)
{
	struct watch_values values = { 0 };
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	struct arena *arena;
	const char *operand;

	if (code != COMMAND_GO_ON)
		return code;
	if (nr > 1)
		return command_usage(self, "one run at a time: '%s' is too much", argv[1]);
	arena = arena_new();
	if (!arena)
		return COMMAND_BAD_DATA;
	operand = nr ? argv[0] : store_newest(arena);
	if (operand)
		code = watch(arena, operand, &values);
	else
		code = command_usage(self, "there is no record in this folder; name one");
	arena_free(arena);
	return code;
}

const struct command cmd_watch = {
	.name = "watch",
	.operands = "[RECORD|PID]",
	.summary = "follow the search of a program that runs",
	.details =
		"RECORD is the file that the program writes; PID finds it. Shows program and cost, the current experiment, findings so far and the search history graph,"
		" as of the last update of the record. The program is not touched. Keys: arrows scroll, q quits.",
	.options = options,
	.run = run_watch,
};
