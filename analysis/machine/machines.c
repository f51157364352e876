/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of machine files. */
#include "analysis/machine/machines.h"

#include <dirent.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/base/suffix.h"
#include "analysis/machine/model_text.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t machines_names(struct arena *arena, const char *folder, const char *const **out)
{
	DIR *directory = opendir(folder);
	const char **names = NULL;
	struct dirent *entry;
	size_t nr = 0, room = 0;

	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || !has_suffix(entry->d_name, MODEL_SUFFIX) ||
		    !ARENA_GROW(arena, names, nr, room))
			continue;
		names[nr] = arena_strndup(arena, entry->d_name,
					  strlen(entry->d_name) - strlen(MODEL_SUFFIX));
		nr += names[nr] != NULL;
	}
	if (directory)
		closedir(directory);
	if (nr)
		sort(names, nr, sizeof(*names), by_name);
	*out = names;
	return nr;
}

bool machines_is_path(const char *name)
{
	return strchr(name, '/') || has_suffix(name, MODEL_SUFFIX);
}

const char *machines_path(struct arena *arena, const char *folder, const char *name)
{
	if (machines_is_path(name))
		return arena_strdup(arena, name);
	return arena_printf(arena, "%s/%s" MODEL_SUFFIX, folder, name);
}
