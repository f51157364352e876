/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for a source file below the current folder. */
#include "analysis/cmds/source_path.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"

#define DEPTH 32

struct finder {
	struct arena *arena;
	const char *file, *found;
	unsigned int nr, entries;
};

static void look_into(struct finder *finder, int fd, const char *folder, unsigned int depth);

static void look_at(struct finder *finder, int folder_fd, const char *folder, const char *name,
		    unsigned int depth)
{
	struct stat status;

	if (name[0] == '.' || fstatat(folder_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	if (S_ISREG(status.st_mode) && !strcmp(name, finder->file)) {
		finder->nr++;
		finder->found = arena_printf(finder->arena, "%s%s", folder, name);
	} else if (S_ISDIR(status.st_mode) && depth < DEPTH) {
		int fd = openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		const char *inner = fd >= 0 ? arena_printf(finder->arena, "%s%s/", folder, name)
					    : NULL;

		if (inner)
			look_into(finder, fd, inner, depth + 1);
		else if (fd >= 0)
			close(fd);
	}
}

/* Closes `fd`. */
static void look_into(struct finder *finder, int fd, const char *folder, unsigned int depth)
{
	DIR *entries = fdopendir(fd);
	const struct dirent *entry;

	if (!entries) {
		close(fd);
		return;
	}
	while (finder->nr < 2 && finder->entries++ < SOURCE_PATH_ENTRIES &&
	       (entry = readdir(entries)) != NULL)
		look_at(finder, dirfd(entries), folder, entry->d_name, depth);
	closedir(entries);
}

const char *source_path(struct arena *arena, const char *file)
{
	struct finder finder = { .arena = arena, .file = file };
	int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		look_into(&finder, fd, "", 0);
	return finder.nr == 1 ? finder.found : NULL;
}
