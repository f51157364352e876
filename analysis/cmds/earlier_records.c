/* SPDX-License-Identifier: Apache-2.0 */
/* The records of --history. */
#include "analysis/cmds/earlier_records.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/show.h"
#include "analysis/search/earlier_verdicts.h"

struct earlier {
	const struct run **runs;
	size_t nr, room;
};

static bool is_of(const struct run *run, const char *program)
{
	return run->program && !strcmp(base_name(run->program), base_name(program));
}

static int read_file(const struct command *command, struct arena *arena, char *path,
		     const char *program, struct earlier *earlier)
{
	struct show_file file;
	int code = show_load(command, arena, 1, &path, &file);

	for (size_t i = 0; code == COMMAND_GO_ON && i < file.nr_runs; i++) {
		if (!is_of(&file.runs[i], program)) {
			log_warning("--history: '%s' is a record of '%s', not of '%s'", path,
				    file.runs[i].program ? file.runs[i].program : "?", program);
			return COMMAND_USAGE;
		}
		if (!ARENA_GROW(arena, earlier->runs, earlier->nr, earlier->room))
			return COMMAND_BAD_DATA;
		earlier->runs[earlier->nr++] = &file.runs[i];
	}
	return code;
}

int earlier_records_read(const struct command *command, struct arena *arena, const char *files,
			 const char *program, const char **text_out)
{
	struct earlier earlier = { .nr = 0 };
	struct earlier_verdicts_count count;
	int code = COMMAND_GO_ON;

	while (*files && code == COMMAND_GO_ON) {
		size_t nr = strcspn(files, ",");
		char *path = arena_printf(arena, "%.*s", (int)nr, files);

		code = path ? read_file(command, arena, path, program, &earlier) : COMMAND_BAD_DATA;
		files += nr + (files[nr] == ',');
	}
	if (code != COMMAND_GO_ON)
		return code;
	*text_out = earlier_verdicts_text(arena, earlier.runs, earlier.nr, &count);
	if (!*text_out)
		return COMMAND_BAD_DATA;
	log_warning(
		"history of %zu run%s: %zu candidate%s, true then, tested first; %zu, false then, last",
		earlier.nr, earlier.nr == 1 ? "" : "s", count.first, count.first == 1 ? "" : "s",
		count.last);
	return COMMAND_GO_ON;
}
