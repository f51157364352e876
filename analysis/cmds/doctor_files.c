/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the small text files that tell of a machine. */
#include "analysis/cmds/doctor_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"

#define TEXT_BYTES_MAX (64u << 10)
#define NUMBERS_MAX (1u << 20)           /* more CPUs or nodes than that are a broken file */

static const char *full_path(const struct doctor_files *files, const char *path)
{
	return arena_printf(files->arena, "%s%s", files->root, path);
}

const char *doctor_files_text(const struct doctor_files *files, const char *path)
{
	const char *name = full_path(files, path);
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	char *text = fd >= 0 ? arena_alloc(files->arena, TEXT_BYTES_MAX + 1) : NULL;
	size_t length = 0;
	ssize_t nr = 0;

	while (text && length < TEXT_BYTES_MAX && (nr = read(fd, text + length, TEXT_BYTES_MAX - length)) > 0)
		length += (size_t)nr;
	if (fd >= 0)
		close(fd);
	if (!text || nr < 0)
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

size_t doctor_files_names(const struct doctor_files *files, const char *path, const char ***names_out)
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

const char *doctor_files_value(struct arena *arena, const char *text, const char *key)
{
	size_t length = strlen(key);

	while (text && *text) {
		size_t nr = strcspn(text, "\n");
		const char *after = text + length;

		if (nr > length && !strncmp(text, key, length)) {
			after += strspn(after, " \t");
			if (*after == ':')
				after += 1 + strspn(after + 1, " \t");
			return arena_strndup(arena, after, strcspn(after, "\n"));
		}
		text += nr + (text[nr] == '\n');
	}
	return NULL;
}

uint64_t doctor_files_count(const char *list)
{
	uint64_t count = 0;
	char *end;

	while (list && *list >= '0' && *list <= '9') {
		unsigned long first = strtoul(list, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (last < first || last - first >= NUMBERS_MAX)
			return count;
		count += last - first + 1;
		list = *end == ',' ? end + 1 : end;
	}
	return count;
}
