/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of this user. */
#define _GNU_SOURCE /* secure_getenv */
#include "analysis/base/own_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"

static bool is_folder(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Relative ones are ignored (XDG Base Directory Specification). */
static const char *folder_in(const char *variable)
{
	const char *path = secure_getenv(variable);

	return path && *path == '/' ? path : NULL;
}

static const char *parent_of(struct arena *arena, const char *path)
{
	size_t nr = strlen(path);

	while (nr > 1 && path[nr - 1] == '/')
		nr--;
	while (nr && path[nr - 1] != '/')
		nr--;
	return arena_strndup(arena, path, nr);
}

const char *own_folder_cache(struct arena *arena, const char **why_out)
{
	const char *cache = folder_in("XDG_CACHE_HOME"), *home = folder_in("HOME"),
		   *there = cache ? parent_of(arena, cache) : home;

	*why_out = "neither XDG_CACHE_HOME nor HOME names a folder";
	if (!there)
		return NULL;
	*why_out = cache ? "the folder that XDG_CACHE_HOME is in does not exist"
			 : "the folder that HOME names does not exist";
	if (!is_folder(there))
		return NULL;
	return arena_printf(arena, cache ? "%s/memsearch" : "%s/.cache/memsearch",
			    cache ? cache : home);
}

bool own_folder_make(const char *path, int levels)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');

	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return true;
	if (errno != ENOENT || levels < 2 || !slash || slash == path ||
	    (size_t)(slash - path) >= sizeof(parent))
		return false;
	memcpy(parent, path, (size_t)(slash - path));
	parent[slash - path] = '\0';
	return own_folder_make(parent, levels - 1) && (mkdir(path, 0700) == 0 || errno == EEXIST);
}

static bool nobody_else_changes(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
	       !(info.st_mode & (S_IWGRP | S_IWOTH)) &&
	       (info.st_uid == 0 || info.st_uid == geteuid());
}

bool own_folder_is_private(const char *path)
{
	char part[PATH_MAX];
	size_t nr = strlen(path);
	struct stat info;

	if (*path != '/' || nr >= sizeof(part) || lstat(path, &info) || info.st_uid != geteuid())
		return false;
	memcpy(part, path, nr + 1);
	for (char *slash = part + nr; slash > part; slash = strrchr(part, '/')) {
		*slash = '\0';
		if (!nobody_else_changes(*part ? part : "/"))
			return false;
	}
	return true;
}

/* Makes the folder; its last `levels` components may be missing. */
static const char *made_in(struct arena *arena, const char *base, const char *name, int levels)
{
	const char *path = arena_printf(arena, "%s/%s", base, name);
	char canonical[PATH_MAX];

	if (!path || !own_folder_make(path, levels) || !realpath(path, canonical) ||
	    !own_folder_is_private(canonical))
		return NULL;
	return arena_strdup(arena, canonical);
}

const char *own_folder_private(struct arena *arena, const char *name)
{
	const char *why, *cache = own_folder_cache(arena, &why),
			 *runtime = folder_in("XDG_RUNTIME_DIR");
	const char *path = cache ? made_in(arena, cache, name, 3) : NULL;

	if (!path && runtime)
		path = made_in(arena, arena_printf(arena, "%s/memsearch", runtime), name, 2);
	return path;
}
