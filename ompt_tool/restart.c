/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool and `memsearch run` tell each other through files. */
#include "ompt_tool/restart.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/search/carry.h"
#include "analysis/search/engine.h"
#include "ompt_tool/options.h"

#define STATE_BYTES_MAX ((off_t)64 << 20)

/* `how`: O_TRUNC or O_APPEND. */
static void write_file(const char *path, int how, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0600);
	size_t left = strlen(text);
	ssize_t put = 0;

	while (fd >= 0 && left && (put = write(fd, text, left)) > 0) {
		text += put;
		left -= (size_t)put;
	}
	if (fd < 0 || left)
		log_warning_errno("cannot write '%s'", path);
	if (fd >= 0)
		close(fd);
}

static char *read_file(struct arena *arena, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	struct stat info;
	size_t length = 0;
	ssize_t got;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &info) == 0 && info.st_size > 0 && info.st_size < STATE_BYTES_MAX)
		text = arena_alloc(arena, (size_t)info.st_size + 1);
	while (text && length < (size_t)info.st_size && (got = read(fd, text + length, (size_t)info.st_size - length)) > 0)
		length += (size_t)got;
	close(fd);
	return length ? text : NULL;
}

void restart_attached(const char *record_path)
{
	const char *path = getenv(OPTIONS_ATTACH_FILE);
	char line[PATH_MAX + 2];

	snprintf(line, sizeof(line), "%s\n", record_path ? record_path : "");
	if (path && *path)
		write_file(path, O_APPEND, line);
}

bool restart_is_taken(struct arena *arena, const char *record_path)
{
	const char *path = getenv(OPTIONS_ATTACH_FILE);
	const char *lines = path && *path ? read_file(arena, path) : NULL;
	size_t length = strlen(record_path);

	while (lines && *lines) {
		size_t nr = strcspn(lines, "\n");

		if (nr == length && !memcmp(lines, record_path, nr))
			return true;
		lines += nr + (lines[nr] == '\n');
	}
	return false;
}

void restart_load(struct engine *engine, struct carry *carry, struct arena *arena)
{
	const char *path = getenv(OPTIONS_RESTART_STATE);
	char *text = path && *path ? read_file(arena, path) : NULL;
	enum ms_status status = MS_OK;

	if (text)
		status = carry_is(text) ? carry_load(carry, text) : engine_load(engine, text);
	if (status != MS_OK)
		log_warning("the search state in '%s' is damaged; the search starts anew", path);
}

void restart_save(const struct engine *engine, const struct carry *carry, struct arena *arena)
{
	const char *path = getenv(OPTIONS_RESTART_STATE);
	char *text = NULL;

	if (!path || !*path)
		return;
	if (carry)
		text = carry_save(carry, arena);
	else if (engine)
		text = engine_save(engine, arena);
	if (text)
		write_file(path, O_TRUNC, text);
}
