/* SPDX-License-Identifier: Apache-2.0 */
/* Reads small text files of /proc and /sys. */
#include "analysis/cmds/doctor_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/system_text.h"

#define TEXT_BYTES_MAX (64u << 10)

static const char *full_path(const struct doctor_files *files, const char *path)
{
	return arena_printf(files->arena, "%s%s", files->root, path);
}

const char *doctor_files_text(const struct doctor_files *files, const char *path)
{
	const char *name = full_path(files, path);
	char *text = name ? arena_alloc(files->arena, TEXT_BYTES_MAX + 1) : NULL;
	size_t length = text ? system_text_read(name, text, TEXT_BYTES_MAX + 1) : 0;

	if (!text || errno)
		return NULL;
	while (length && text[length - 1] == '\n')
		text[--length] = '\0';
	return text;
}

bool doctor_files_exist(const struct doctor_files *files, const char *path)
{
	const char *name = full_path(files, path);

	return name && access(name, F_OK) == 0;
}

long doctor_files_number(const struct doctor_files *files, const char *path, long otherwise)
{
	const char *text = doctor_files_text(files, path);
	char *end;
	long number = text ? strtol(text, &end, 10) : 0;

	return text && end != text ? number : otherwise;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t doctor_files_names(const struct doctor_files *files, const char *path,
			  const char ***names_out)
{
	const char *name = full_path(files, path);
	DIR *folder = name ? opendir(name) : NULL;
	size_t nr = 0, room = 0;
	struct dirent *entry;

	*names_out = NULL;
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && ARENA_GROW(files->arena, *names_out, nr, room))
			(*names_out)[nr++] = arena_strdup(files->arena, entry->d_name);
	if (folder)
		closedir(folder);
	if (nr)
		qsort(*names_out, nr, sizeof(**names_out), by_name);
	return nr;
}
