/* SPDX-License-Identifier: Apache-2.0 */
/* Data for a command: a record or a store, named or the newest of the folder. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/suffix.h"
#include "analysis/record/record.h"
#include "analysis/store/store.h"

static enum ms_status load_record(struct arena *arena, const char *path, struct run **runs_out,
				  size_t *nr_out)
{
	struct run *run = arena_alloc(arena, sizeof(*run));
	uint64_t ignored = 0;
	enum ms_status status = run ? record_read(arena, path, run, &ignored) : MS_ERR_MEMORY;

	if (status == MS_OK && ignored)
		log_warning("the record '%s' is torn or damaged: its last %llu bytes are left out",
			    path, (unsigned long long)ignored);
	*runs_out = run;
	*nr_out = status == MS_OK;
	return status;
}

static enum ms_status load_store(struct arena *arena, const char *path, struct run **runs_out,
				 size_t *nr_out)
{
	struct store *store = NULL;
	int64_t *ids = NULL;
	size_t nr = 0;
	enum ms_status status = store_open(path, false, &store);

	if (status == MS_OK)
		status = store_runs(store, arena, &ids, &nr);
	*runs_out = arena_alloc(arena, nr * sizeof(**runs_out));
	if (status == MS_OK && !*runs_out)
		status = MS_ERR_MEMORY;
	for (size_t i = 0; i < nr && status == MS_OK; i++)
		status = store_read(store, arena, ids[i], &(*runs_out)[i]);
	store_close(store);
	*nr_out = status == MS_OK ? nr : 0;
	return status;
}

enum ms_status store_load(struct arena *arena, const char *path, struct run **runs_out,
			  size_t *nr_out)
{
	*runs_out = NULL;
	*nr_out = 0;
	if (record_is(path))
		return load_record(arena, path, runs_out, nr_out);
	if (store_is(path))
		return load_store(arena, path, runs_out, nr_out);
	if (access(path, R_OK)) {
		log_warning_errno("cannot open '%s'", path);
		return errno == ENOENT ? MS_ERR_NOT_FOUND : MS_ERR_IO;
	}
	log_warning("'%s' is neither a record (.ms) nor a store (.db) of memsearch", path);
	return MS_ERR_FORMAT;
}

static bool has_ending(const char *name)
{
	return has_suffix(name, ".ms") || has_suffix(name, ".db");
}

static bool newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

const char *store_newest(struct arena *arena)
{
	struct timespec best = { 0 };
	const char *newest = NULL;
	struct dirent *entry;
	struct stat status;
	DIR *folder = opendir(".");

	while (folder && (entry = readdir(folder))) {
		const char *name = entry->d_name;

		if (!has_ending(name) || stat(name, &status) || !S_ISREG(status.st_mode) ||
		    (!record_is(name) && !store_is(name)))
			continue;
		if (!newest || newer(&status.st_mtim, &best)) {
			newest = arena_strdup(arena, name);
			best = status.st_mtim;
		}
	}
	if (folder)
		closedir(folder);
	return newest;
}
