/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the record of a program that runs. */
#include "analysis/cmds/watch_record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/show.h"
#include "analysis/record/file.h"
#include "analysis/record/format.h"
#include "analysis/record/record.h"

/* A process of this host writes it. */
static bool is_written(const char *path)
{
	uint8_t header[RECORD_HEADER_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool written = fd >= 0 && pread(fd, header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
		       record_file_in_use(fd, header);

	if (fd >= 0)
		close(fd);
	return written;
}

/* A record in the folder, of that process if it is not 0; NULL: none. */
static const char *find_in(struct arena *arena, const char *folder, uint32_t process)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	const char *found = NULL;

	while (entries && !found && (entry = readdir(entries))) {
		const char *path = arena_printf(arena, "%s/%s", folder, entry->d_name);

		if (path && entry->d_name[0] != '.' &&
		    (process ? record_writer(path) == process && is_written(path)
			     : record_is(path)))
			found = path;
	}
	if (entries)
		closedir(entries);
	return found;
}

static bool is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == 0;
}

const char *watch_record_find(struct arena *arena, const char *operand)
{
	const char *found = NULL;
	uint32_t process;

	if (!is_number(operand) || access(operand, F_OK) == 0)
		return operand;
	process = (uint32_t)strtoul(operand, NULL, 10);
	/* one of its open files, or one in its folder, where it is closed between writes */
	found = find_in(arena, arena_printf(arena, "/proc/%s/fd", operand), 0);
	if (!found)
		found = find_in(arena, arena_printf(arena, "/proc/%s/cwd", operand), process);
	if (!found)
		log_warning("process %s writes no record that can be read here; name its file",
			    operand);
	return found;
}

bool watch_record_read(struct watch_record *record)
{
	struct arena *arena;
	struct run *run;
	struct stat status;
	uint64_t ignored;

	if (stat(record->path, &status)) {
		log_warning("cannot open '%s': %s", record->path, strerror(errno));
		record->ended = true;
		return false;
	}
	if (record->run && (uint64_t)status.st_size == record->bytes) {
		record->ended |= !is_written(record->path);
		return false;
	}
	arena = arena_new();
	run = arena ? arena_alloc(arena, sizeof(*run)) : NULL;
	if (!run || record_read(arena, record->path, run, &ignored) != MS_OK) {
		arena_free(arena);
		record->ended = true;
		return false;
	}
	show_complete(arena, run, NULL);
	arena_free(record->arena);
	*record = (struct watch_record){ record->path, arena, run, (uint64_t)status.st_size,
					 run->complete || !is_written(record->path) };
	return true;
}

void watch_record_release(struct watch_record *record)
{
	arena_free(record->arena);
}
