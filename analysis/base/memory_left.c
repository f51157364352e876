/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory this process may still take. Also part of libmemsearch.so: libc only. */
#define _GNU_SOURCE
#include "analysis/base/memory_left.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analysis/base/system_text.h"

#define TEXT_BYTES 2048 /* of memory.stat the totals come first */
#define PATH_BYTES 1024
#define LEVELS_MAX 64 /* of nested cgroups */

static bool read_text(const char *path, char text[TEXT_BYTES])
{
	return system_text_read(path, text, TEXT_BYTES) > 0;
}

/* The number behind `key` at the begin of a line; 0: none. */
static uint64_t value_of(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (; text && *text; text = strchr(text, '\n'), text += text != NULL)
		if (!strncmp(text, key, length) && strchr(" :\t", text[length]) && text[length])
			return strtoull(text + length + 1, NULL, 10);
	return 0;
}

static void least(struct memory_left *left, uint64_t limit, uint64_t taken, enum memory_limit by)
{
	uint64_t bytes = limit > taken ? limit - taken : 0;

	if (bytes < left->bytes)
		*left = (struct memory_left){ (size_t)bytes, by };
}

/* ----------------------------------------------------------------- addresses */

static bool limit_of(__rlimit_resource_t resource, uint64_t *bytes_out)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return false;
	*bytes_out = limit.rlim_cur;
	return true;
}

/* Pages by statm: all, …, private writable ones. See proc(5). */
static void pages_taken(uint64_t *all_out, uint64_t *data_out)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), column[6] = { 0 };
	char text[TEXT_BYTES], *at = text;

	if (read_text("/proc/self/statm", text))
		for (int i = 0; i < 6; i++)
			column[i] = strtoull(at, &at, 10);
	*all_out = column[0] * page;
	*data_out = column[5] * page;
}

struct memory_mapped memory_mapped(void)
{
	int error = errno;
	uint64_t all, data;

	pages_taken(&all, &data);
	errno = error;
	return (struct memory_mapped){ (size_t)all, (size_t)data };
}

static void least_of_limits(struct memory_left *left)
{
	uint64_t limit, all, data;

	if (!limit_of(RLIMIT_AS, &limit) && !limit_of(RLIMIT_DATA, &limit))
		return;
	pages_taken(&all, &data);
	if (limit_of(RLIMIT_AS, &limit))
		least(left, limit, all, MEMORY_ADDRESSES);
	if (limit_of(RLIMIT_DATA, &limit))
		least(left, limit, data, MEMORY_DATA);
}

static void least_of_commit(struct memory_left *left)
{
	char text[TEXT_BYTES];

	if (read_text("/proc/sys/vm/overcommit_memory", text) && text[0] == '2' &&
	    read_text("/proc/meminfo", text))
		least(left, value_of(text, "CommitLimit") << 10,
		      value_of(text, "Committed_AS") << 10, MEMORY_COMMIT);
}

struct memory_left memory_left_to_map(void)
{
	struct memory_left left = { SIZE_MAX, MEMORY_UNLIMITED };
	int error = errno;

	least_of_limits(&left);
	least_of_commit(&left);
	errno = error;
	return left;
}

/* -------------------------------------------------------------------- cgroups */

/* One hierarchy: where it is mounted, by systemd's convention, and how its files are called. */
static const struct hierarchy {
	const char *mount, *key; /* key: how its line in /proc/self/cgroup is recognised */
	const char *limits[2], *usage, *file, *shared;
} hierarchies[] = {
	{ "/sys/fs/cgroup",
	  "0::",
	  { "memory.max", "memory.high" },
	  "memory.current",
	  "file",
	  "shmem" },
	{ "/sys/fs/cgroup/unified",
	  "0::",
	  { "memory.max", "memory.high" },
	  "memory.current",
	  "file",
	  "shmem" },
	{ "/sys/fs/cgroup/memory",
	  ":memory:",
	  { "memory.limit_in_bytes" },
	  "memory.usage_in_bytes",
	  "total_cache",
	  "total_shmem" },
};

static bool number_in(const char *folder, const char *name, uint64_t *out)
{
	char path[PATH_BYTES], text[TEXT_BYTES];

	if (!name || snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) ||
	    !read_text(path, text) || text[0] < '0' || text[0] > '9')
		return false;
	*out = strtoull(text, NULL, 10);
	return true;
}

/* The kernel reclaims pages of files before it kills anything. */
static uint64_t reclaimable(const struct hierarchy *h, const char *folder)
{
	char path[PATH_BYTES], text[TEXT_BYTES];
	uint64_t file, shared;

	if (snprintf(path, sizeof(path), "%s/memory.stat", folder) >= (int)sizeof(path) ||
	    !read_text(path, text))
		return 0;
	file = value_of(text, h->file);
	shared = value_of(text, h->shared);
	return file > shared ? file - shared : 0;
}

static void least_of_level(struct memory_left *left, const struct hierarchy *h, const char *folder)
{
	uint64_t limit = UINT64_MAX, one, usage, file;

	for (int i = 0; i < 2; i++)
		if (number_in(folder, h->limits[i], &one) && one < limit)
			limit = one;
	/* version 1 writes "none" as a number near INT64_MAX */
	if (limit >= INT64_MAX / 2 || !number_in(folder, h->usage, &usage))
		return;
	file = reclaimable(h, folder);
	least(left, limit, usage > file ? usage - file : 0, MEMORY_CGROUP);
}

/* The path of the process in this hierarchy, without a slash at its end; false: it is in none. */
static bool own_path(const struct hierarchy *h, const char *cgroups, char path[PATH_BYTES])
{
	for (const char *line = cgroups; *line;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		size_t length = strcspn(line, "\n");
		const char *at = memmem(line, length, h->key, strlen(h->key));

		if (!at || (h->key[0] == '0' && at != line))
			continue;
		at += strlen(h->key);
		length -= (size_t)(at - line);
		if (length >= PATH_BYTES / 2)
			return false;
		memcpy(path, at, length);
		path[length] = '\0';
		return true;
	}
	return false;
}

/*
 * A container without a cgroup namespace sees a path of its host: then only the mount itself has
 * files.
 */
static void least_of_hierarchy(struct memory_left *left, const struct hierarchy *h,
			       const char *root, const char *cgroups)
{
	char path[PATH_BYTES], folder[PATH_BYTES];

	if (!own_path(h, cgroups, path))
		return;
	for (int level = 0; level < LEVELS_MAX; level++) {
		char *slash = strrchr(path, '/');

		if (snprintf(folder, sizeof(folder), "%s%s%s", root, h->mount, path) <
		    (int)sizeof(folder))
			least_of_level(left, h, folder);
		if (!slash)
			return;
		*slash = '\0';
	}
}

struct memory_left memory_left_to_touch(const char *root)
{
	struct memory_left left = { SIZE_MAX, MEMORY_UNLIMITED };
	char path[PATH_BYTES], text[TEXT_BYTES];
	int error = errno;

	if (snprintf(path, sizeof(path), "%s/proc/self/cgroup", root) < (int)sizeof(path) &&
	    read_text(path, text))
		for (size_t i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++)
			least_of_hierarchy(&left, &hierarchies[i], root, text);
	errno = error;
	return left;
}

/* -------------------------------------------------------------------- decided */

bool memory_left_for_core(struct memory_left *why_out)
{
	*why_out = memory_left_to_map();
	if (why_out->bytes < MEMORY_TO_MAP_MIN)
		return false;
	*why_out = memory_left_to_touch("");
	return why_out->bytes >= MEMORY_TO_TOUCH_MIN;
}

const char *memory_limit_name(enum memory_limit limit)
{
	static const char *const names[] = {
		[MEMORY_UNLIMITED] = "memory",
		[MEMORY_ADDRESSES] = "the address space allowed (`ulimit -v`)",
		[MEMORY_DATA] = "the data memory allowed (`ulimit -d`)",
		[MEMORY_COMMIT] = "the memory that can be committed (vm.overcommit_memory=2)",
		[MEMORY_CGROUP] = "the memory of the control group",
	};

	return names[limit];
}
