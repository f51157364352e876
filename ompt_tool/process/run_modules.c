/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the modules of the process to a run. */
#include "ompt_tool/process/run_modules.h"

#include <stdbool.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/debuginfo/modules.h"
#include "analysis/record/run.h"
#include "ompt_tool/clones/clone.h"

static bool module_same(const struct module *a, const struct module *b)
{
	return a->low == b->low && a->high == b->high && !strcmp(a->path, b->path);
}

static bool module_known(const struct run *run, const struct module *module)
{
	for (size_t i = 0; i < run->nr_modules; i++)
		if (module_same(&run->modules[i], module))
			return true;
	return false;
}

static enum ms_status module_add(struct run *run, struct arena *arena, const struct module *module)
{
	struct module *added;

	if (!ARENA_GROW(arena, run->modules, run->nr_modules, run->room_modules))
		return MS_ERR_MEMORY;
	added = &run->modules[run->nr_modules];
	*added = *module;
	added->path = arena_strdup(arena, module->path);
	added->build_id = arena_strdup(arena, module->build_id);
	if (!added->path || !added->build_id)
		return MS_ERR_MEMORY;
	run->nr_modules++;
	return MS_OK;
}

static enum ms_status add_new_modules(struct run *run, struct arena *arena)
{
	/* freed after each call, so that only new modules take memory */
	struct arena *scratch = arena_new();
	enum ms_status status = scratch ? MS_OK : MS_ERR_MEMORY;
	struct module *now;
	size_t nr = 0;

	if (scratch)
		status = modules_of_process(scratch, &now, &nr);
	for (size_t i = 0; i < nr && status == MS_OK; i++)
		if (!module_known(run, &now[i]))
			status = module_add(run, arena, &now[i]);
	arena_free(scratch);
	return status;
}

/* Returns at once if no module was loaded or unloaded since the last call. */
enum ms_status run_modules_update(struct run *run, struct arena *arena)
{
	static struct {
		const struct run *run;
		size_t nr;
		struct modules_count count;
	} last;
	struct modules_count count = modules_count();
	enum ms_status status;

	if (run == last.run && run->nr_modules && run->nr_modules == last.nr &&
	    count.loaded == last.count.loaded && count.unloaded == last.count.unloaded)
		return MS_OK;
	status = add_new_modules(run, arena);
	last.run = status == MS_OK ? run : NULL;
	last.nr = run->nr_modules;
	last.count = count;
	return status;
}

struct code_address run_modules_address(const struct run *run, uint64_t address)
{
	return address ? modules_find(run->modules, run->nr_modules, clone_original(address))
		       : (struct code_address){ UINT32_MAX, 0 };
}
