/* SPDX-License-Identifier: Apache-2.0 */
/* Finds strategies: shared objects of one folder, accepted or refused with one line each. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/suffix.h"
#include "analysis/search/guarded_strategy.h"
#include "analysis/search/strategies.h"
#include "memsearch/strategy.h"

#define NAMES_MAX 64 /* strategies considered for "did you mean" */

struct names {
	char **items;
	size_t nr, room;
};

/*
 * Sorted, so that which of two strategies of one name is used does not depend on the file system.
 */
static void names_insert(struct arena *arena, struct names *names, const char *name)
{
	char *copy = arena_strdup(arena, name);
	size_t at;

	if (!copy || !ARENA_GROW(arena, names->items, names->nr, names->room))
		return;
	for (at = names->nr++; at && strcmp(names->items[at - 1], copy) > 0; at--)
		names->items[at] = names->items[at - 1];
	names->items[at] = copy;
}

static struct names names_of(struct arena *arena, const char *directory)
{
	struct names names = { 0 };
	DIR *folder = opendir(directory);
	struct dirent *entry;

	if (!folder) {
		log_warning_errno("cannot open the strategies' folder '%s'", directory);
		return names;
	}
	while ((entry = readdir(folder)))
		if (has_suffix(entry->d_name, ".so"))
			names_insert(arena, &names, entry->d_name);
	closedir(folder);
	return names;
}

/* Why the object cannot be used, or NULL. */
static const char *complaint(struct arena *arena, const struct ms_strategy *strategy)
{
	ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!dladdr1(strategy, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
	    symbol->st_size < 2 * sizeof(uint32_t))
		return "'" MS_STRATEGY_SYMBOL "' is not a struct ms_strategy";
	if (strategy->abi != MS_STRATEGY_ABI)
		return arena_printf(arena,
				    "made for interface version %u, expected %u; compile it again",
				    strategy->abi, MS_STRATEGY_ABI);
	if (strategy->size < sizeof(*strategy) || symbol->st_size < sizeof(*strategy))
		return arena_printf(
			arena,
			"its struct ms_strategy has %u bytes, expected at least %zu; compile it again",
			strategy->size, sizeof(*strategy));
	if (!strategy->name || !strategy->name[0] || !strategy->summary || !strategy->describe)
		return "it has no name, summary or description, expected all three";
	if (!strategy->initial || !strategy->refine)
		return "it lacks 'initial' or 'refine', expected both";
	return NULL;
}

static void refuse(const char *path, const char *why)
{
	log_warning("strategy '%s' left out: %s", path, why);
}

static bool list_add(struct arena *arena, struct strategy_list *list,
		     const struct ms_strategy *strategy, const char *path)
{
	size_t room = list->room;

	if (!ARENA_GROW(arena, list->strategies, list->nr, room) ||
	    !ARENA_GROW(arena, list->files, list->nr, list->room))
		return false;
	list->strategies[list->nr] = strategy;
	list->files[list->nr++] = path;
	return true;
}

static void load_one(struct arena *arena, struct strategy_list *list, const char *path)
{
	const struct ms_strategy *strategy;
	void *object = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	const char *why;

	if (!object) {
		const char *error = dlerror();

		if (path)
			refuse(path, error ? error : "expected a shared object");
		return;
	}
	strategy = dlsym(object, MS_STRATEGY_SYMBOL);
	why = strategy ? complaint(arena, strategy)
		       : "it has no symbol '" MS_STRATEGY_SYMBOL
			 "', expected a const struct ms_strategy";
	if (!why && strategies_find(list, strategy->name))
		why = arena_printf(arena, "there already is a strategy '%s', expected another name",
				   strategy->name);
	if (!why && list_add(arena, list, strategy, path))
		return;
	refuse(path, why ? why : "out of memory");
	dlclose(object);
}

struct strategy_list *strategies_load(struct arena *arena, const char *directory)
{
	struct strategy_list *list = arena_alloc(arena, sizeof(*list));
	struct names names;

	if (!list)
		return NULL;
	names = names_of(arena, directory);
	for (size_t i = 0; i < names.nr; i++)
		load_one(arena, list, arena_printf(arena, "%s/%s", directory, names.items[i]));
	return list;
}

/* dlopen takes a path without a slash for the name of a library. */
const struct ms_strategy *strategies_load_file(struct arena *arena, const char *path,
					       const struct ms_strategy *instead)
{
	struct strategy_list list = { 0 };

	load_one(arena, &list, strchr(path, '/') ? path : arena_printf(arena, "./%s", path));
	return list.nr ? guarded_strategy(list.strategies[0], instead) : NULL;
}

bool strategies_is_file(const char *name)
{
	return has_suffix(name, ".so");
}

bool strategies_failed(void)
{
	return guarded_strategy_failed();
}

const char *strategies_nearest(const struct strategy_list *list, const char *name)
{
	const char *names[NAMES_MAX];
	size_t nr = 0;

	for (size_t i = 0; i < list->nr && nr < NAMES_MAX; i++)
		names[nr++] = list->strategies[i]->name;
	return log_nearest(name, names, nr);
}

const struct ms_strategy *strategies_of_run(struct arena *arena, const char *directory,
					    const char **name, const char *usual)
{
	const char *wanted = *name;
	const struct strategy_list *list = strategies_load(arena, directory);
	const struct ms_strategy *instead = list ? strategies_find(list, usual) : NULL,
				 *strategy = NULL;
	const char *nearest = list ? strategies_nearest(list, wanted) : NULL;

	if (strategies_is_file(wanted))
		strategy = strategies_load_file(arena, wanted, instead);
	else if (list)
		strategy = strategies_find(list, wanted);
	if (strategy || !instead)
		return strategy;
	log_warning("there is no strategy '%s'%s%s%s: '%s' is used", wanted,
		    nearest ? "; did you mean '" : " (`memsearch list strategies`)",
		    nearest ? nearest : "", nearest ? "'?" : "", usual);
	*name = usual;
	return instead;
}

const struct ms_strategy *strategies_find(const struct strategy_list *list, const char *name)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->strategies[i]->name, name))
			return list->strategies[i];
	return NULL;
}
