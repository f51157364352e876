/* SPDX-License-Identifier: Apache-2.0 */
/* Strategies, properties and limits of searches outside of the program. */
#include "analysis/cmds/search_setup.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/show.h"
#include "analysis/cmds/simulate_record.h"
#include "analysis/properties/property.h"
#include "analysis/search/strategies.h"
#include "analysis/simulation/range_requests.h"
#include "memsearch/strategy.h"

#define LOADING_SECONDS 5 /* of real time */

const struct strategy_list *search_setup_strategies(struct arena *arena)
{
	const char *folder = installation_path(arena, INSTALLATION_STRATEGIES);

	return folder ? strategies_load(arena, folder) : NULL;
}

/*
 * What a shared object runs when it is loaded cannot be called behind a guard, so a child process
 * loads it first.
 */
static bool can_be_loaded(struct arena *arena, const char *path)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		alarm(LOADING_SECONDS);
		dlopen(strchr(path, '/') ? path : arena_printf(arena, "./%s", path),
		       RTLD_NOW | RTLD_LOCAL);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || !status)
		return true;
	log_warning("strategy '%s' left out: loading it ends the program (%s)", path,
		    WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it exits");
	return false;
}

int search_setup_strategy(const struct search_setup *setup, const char *name,
			  const struct ms_strategy **out)
{
	const struct strategy_list *list;
	const char **names;

	if (strategies_is_file(name)) {
		*out = can_be_loaded(setup->arena, name)
			       ? strategies_load_file(setup->arena, name, NULL)
			       : NULL;
		return *out ? COMMAND_GO_ON : COMMAND_USAGE;
	}
	list = search_setup_strategies(setup->arena);
	*out = list ? strategies_find(list, name) : NULL;
	if (*out)
		return COMMAND_GO_ON;
	names = arena_alloc(setup->arena, ((list ? list->nr : 0) + 1) * sizeof(*names));
	for (size_t i = 0; list && names && i < list->nr; i++)
		names[i] = list->strategies[i]->name;
	return command_unknown(setup->command, "strategy", name, names,
			       list && names ? list->nr : 0);
}

/* Options of a run with their defaults, and with one that was checked; `value` NULL: without it. */
static struct options options_with(const char *name, const char *value)
{
	char *const nothing[] = { NULL };
	struct options parsed;
	char error[160];

	options_from_environment(&parsed, nothing);
	if (value)
		options_set(&parsed, name, value, error);
	return parsed;
}

/* Prints mistakes. NULL: no installation. */
static const struct property_set *read_properties(const struct search_setup *setup)
{
	const char *folder = installation_path(setup->arena, INSTALLATION_PROPERTIES);
	const struct property_set *set = folder ? property_set_load(setup->arena, folder,
								    setup->properties)
						: NULL;

	for (size_t i = 0; set && i < set->nr_messages; i++)
		log_warning("%s", property_message_line(setup->arena, &set->messages[i]));
	return set;
}

static uint64_t hash_file(uint64_t hash, int folder, const char *name)
{
	struct stat file;

	if (fstatat(folder, name, &file, 0) != 0)
		return hash;
	hash = hash_bytes(hash, name, strlen(name));
	hash = hash_bytes(hash, &file.st_size, sizeof(file.st_size));
	return hash_bytes(hash, &file.st_mtim, sizeof(file.st_mtim));
}

/* A file, or the files of a folder, in any order. */
static uint64_t hash_path(const char *path)
{
	DIR *folder = opendir(path);
	uint64_t sum = hash_file(HASH_START, AT_FDCWD, path);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		sum += hash_file(HASH_START, dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
	return sum;
}

static uint64_t hash_paths(const char *paths)
{
	char path[PATH_MAX];
	uint64_t hash = 1;

	while (*paths) {
		size_t nr = strcspn(paths, ":");

		snprintf(path, sizeof(path), "%.*s", (int)nr, paths);
		hash = 31 * hash + hash_path(path);
		paths += nr + (paths[nr] == ':');
	}
	return hash;
}

bool search_setup_changed(struct search_setup *setup)
{
	uint64_t before = setup->files;

	setup->files = setup->properties ? hash_paths(setup->properties) : 0;
	return before && setup->files != before;
}

const struct property_set *search_setup_read_again(struct search_setup *setup)
{
	const struct property_set *set = read_properties(setup);

	return set && set->nr && !set->nr_messages ? set : NULL;
}

int search_setup_begin(struct search_setup *setup)
{
	const struct property_set *set;

	search_setup_changed(setup);
	set = read_properties(setup);
	setup->how.deep_threshold =
		options_with("deep-threshold", setup->deep_threshold).deep_threshold;
	setup->how.properties = set;
	if (set && set->nr_messages)
		return COMMAND_USAGE;
	return set && set->nr ? COMMAND_GO_ON : COMMAND_BAD_DATA;
}

double search_setup_limit(const struct search_setup *setup, double limit)
{
	if (!setup->overhead && limit > 0)
		return limit;
	return options_with("overhead", setup->overhead).overhead;
}

/* The model is read for properties that wait for its caches. */
static int keep_model(void *ctx, struct arena *arena, const struct requests_source *source)
{
	struct search_setup *setup = ctx;

	(void)arena;
	setup->how.model = source->model;
	return COMMAND_GO_ON;
}

int search_setup_run(struct search_setup *setup, const char *path, struct run *run)
{
	struct show_how how = { .then = keep_model, .then_ctx = setup };
	int code = COMMAND_GO_ON;

	setup->how.model = NULL;
	setup->how.overhead_limit = search_setup_limit(setup, run->cost.limit);
	if (!show_is_quick())
		code = simulate_record(setup->command, setup->arena, path, run, &how);
	if (code == COMMAND_GO_ON)
		show_complete(setup->arena, run, setup->properties);
	return code;
}
