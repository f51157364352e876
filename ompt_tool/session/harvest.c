/* SPDX-License-Identifier: Apache-2.0 */
/* From the table of regions to the run. */
#include "ompt_tool/session/harvest.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/hash.h"
#include "analysis/base/sort.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/sampling/unwinder.h"
#include "ompt_tool/sensors/samples.h"

static uint64_t hash_address(const struct run *run, uint64_t hash, uint64_t address)
{
	struct code_address code = run_modules_address(run, address);
	const struct module *module = code.module < run->nr_modules ? &run->modules[code.module]
								    : NULL;

	if (module)
		hash = hash_bytes(hash, module->path, strlen(module->path));
	return hash_bytes(hash, &code.offset, sizeof(code.offset));
}

/* Hash of the place of declaration or allocation. */
static uint64_t hash_array(const struct run *run, uint64_t hash, uint64_t construct)
{
	const struct array *array = construct ? array_get((uint32_t)(construct - 1)) : NULL;

	return array ? hash_address(run, hash,
				    array->kind == ARRAY_HEAP ? array->site : array->start)
		     : hash;
}

/* Calls in one line may differ further out. */
static uint64_t hash_path(const struct run *run, uint64_t hash, const struct region *call)
{
	uint32_t nr = __atomic_load_n(&call->nr_path, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++)
		hash = hash_address(run, hash, call->path[i]);
	return hash;
}

uint64_t harvest_region_key(const struct run *run, const struct region *region, uint64_t parent_key)
{
	uint64_t hash = hash_bytes(HASH_START, &region->kind, sizeof(region->kind));

	hash = region->kind == MS_DATA_STRUCTURE ? hash_array(run, hash, region->construct)
						 : hash_address(run, hash, region->construct);
	if (region->kind == MS_SERIAL_REGION)
		hash = hash_address(run, hash, __atomic_load_n(&region->inside, __ATOMIC_RELAXED));
	if (region->kind == MS_CALL_REGION)
		hash = hash_path(run, hash, region);
	hash = hash_bytes(hash, &parent_key, sizeof(parent_key));
	return hash ? hash : 1;
}

static bool path_fill(struct run *run, struct arena *arena, struct run_region *to,
		      const struct region *from)
{
	uint32_t nr = __atomic_load_n(&from->nr_path, __ATOMIC_ACQUIRE);

	if (!nr || to->nr_path)
		return true;
	to->path_addresses = arena_alloc(arena, nr * sizeof(*to->path_addresses));
	if (!to->path_addresses)
		return false;
	for (uint32_t i = 0; i < nr; i++) /* innermost first there, outermost first here */
		to->path_addresses[i] = run_modules_address(run, from->path[nr - 1 - i]);
	to->nr_path = nr;
	return true;
}

/* A lock without a row yet is set at the next harvest. */
static uint32_t mutex_of(const struct run *run, const struct region *from)
{
	uint32_t mutex = __atomic_load_n(&from->mutex, __ATOMIC_RELAXED);

	return mutex < run->nr_regions ? mutex : 0;
}

static bool region_fill(struct run *run, struct arena *arena, struct run_region *to,
			const struct region *from)
{
	uint64_t inside = __atomic_load_n(&from->inside, __ATOMIC_RELAXED);

	to->mutex = mutex_of(run, from);
	to->id = from->id;
	to->parent = from->id == MS_REGION_USER ? MS_REGION_NONE : from->parent;
	to->kind = from->kind;
	if (!to->key && to->id != MS_REGION_USER)
		to->key = harvest_region_key(run, from, run->regions[to->parent].key);
	to->construct = run_modules_address(run, from->construct);
	to->inside = to->next = (struct code_address){ UINT32_MAX, 0 };
	if (from->kind == MS_SERIAL_REGION)
		to->next = run_modules_address(run, inside);
	else
		to->inside = run_modules_address(run, inside);
	return path_fill(run, arena, to, from);
}

enum ms_status harvest_regions(struct run *run, struct arena *arena, struct region_table *table)
{
	uint32_t nr = region_table_count(table);

	while (run->nr_regions < nr) {
		if (!ARENA_GROW(arena, run->regions, run->nr_regions, run->room_regions))
			return MS_ERR_MEMORY;
		run->regions[run->nr_regions++] = (struct run_region){ 0 };
	}
	/* also earlier ones: `inside` may be known by now */
	for (uint32_t id = 0; id < nr; id++)
		if (!run->regions[id].resolved &&
		    !region_fill(run, arena, &run->regions[id], region_table_at(table, id)))
			return MS_ERR_MEMORY;
	return MS_OK;
}
