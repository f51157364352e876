/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch sir`: the regions and arrays that a program declares, as XML. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/output_file.h"
#include "analysis/report/text.h"
#include "analysis/sir/sir.h"

#define XML_BEGIN "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sir "

struct sir_values {
	const char *output;
	bool all;
};

static const struct command_option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct sir_values, output),
	  .help = "write to FILE instead of stdout; a file that memsearch sir wrote is replaced" },
	{ .name = "all",
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct sir_values, all),
	  .help = "also code and arrays without debugging information, if PROGRAM has some for other code" },
	{ 0 }
};

static int read_and_write(struct arena *arena, const char *path, const struct sir_values *values)
{
	struct text out;
	struct sir sir;
	enum ms_status status;

	if (access(path, R_OK)) {
		log_warning("cannot open '%s': %s", path, strerror(errno));
		return COMMAND_BAD_DATA;
	}
	status = sir_read(arena, path, values->all, &sir);
	if (status == MS_ERR_NOT_FOUND) {
		log_warning("'%s' is no ELF file", path);
		return COMMAND_BAD_DATA;
	}
	if (status) {
		log_warning("cannot read '%s': %s", path, ms_status_text(status));
		return COMMAND_BAD_DATA;
	}
	text_init(&out, arena);
	sir_print(&out, &sir);
	return values->output ? output_file_write(values->output, &out, XML_BEGIN, "representation")
			      : command_print(&out);
}

static int run_sir(const struct command *self, int argc, char **argv)
{
	struct sir_values values = { 0 };
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	struct arena *arena;

	if (code != COMMAND_GO_ON)
		return code;
	if (nr != 1)
		return command_usage(self, nr ? "one program is expected" : "no program is named");
	arena = arena_new();
	if (!arena)
		return COMMAND_BAD_DATA;
	code = read_and_write(arena, argv[0], &values);
	arena_free(arena);
	return code;
}

const struct command cmd_sir = {
	.name = "sir",
	.operands = "PROGRAM",
	.summary = "write the regions and arrays that a program declares, as XML",
	.details =
		"PROGRAM is an executable or a library. Nothing is executed: functions, loops, OpenMP constructs, calls and the arrays of each"
		" come from its code, symbols and debugging information (the standard intermediate representation).",
	.options = options,
	.run = run_sir,
};
