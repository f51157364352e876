/* SPDX-License-Identifier: Apache-2.0 */
/* From raw tables of the measuring part to the run: modules, regions, hot spots. */
#include "ompt_tool/session/harvest.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/hash.h"
#include "analysis/base/sort.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/sampling/unwinder.h"
#include "ompt_tool/sensors/samples.h"

/* Instructions kept of one region and metric; a report joins those of one line. */
#define SPOTS_PER_REGION 32

/*
 * With fewer clock samples in a region their shares mean nothing: 10 have a relative error of
 * 1/sqrt(10), a third.
 */
#define SAMPLES_MIN 10

static struct code_address address_of(const struct run *run, uint64_t address)
{
	return address ? modules_find(run->modules, run->nr_modules, clone_original(address))
		       : (struct code_address){ UINT32_MAX, 0 };
}

static uint64_t hash_address(const struct run *run, uint64_t hash, uint64_t address)
{
	struct code_address code = address_of(run, address);
	const struct module *module = code.module < run->nr_modules ? &run->modules[code.module]
								    : NULL;

	if (module)
		hash = hash_bytes(hash, module->path, strlen(module->path));
	return hash_bytes(hash, &code.offset, sizeof(code.offset));
}

/* Where it is declared, or allocated. */
static uint64_t hash_array(const struct run *run, uint64_t hash, uint64_t construct)
{
	const struct array *array = construct ? array_get((uint32_t)(construct - 1)) : NULL;

	return array ? hash_address(run, hash,
				    array->kind == ARRAY_HEAP ? array->site : array->start)
		     : hash;
}

uint64_t harvest_region_key(const struct run *run, const struct region *region, uint64_t parent_key)
{
	uint64_t hash = hash_bytes(HASH_START, &region->kind, sizeof(region->kind));

	hash = region->kind == MS_DATA_STRUCTURE ? hash_array(run, hash, region->construct)
						 : hash_address(run, hash, region->construct);
	if (region->kind == MS_SERIAL_REGION)
		hash = hash_address(run, hash, __atomic_load_n(&region->inside, __ATOMIC_RELAXED));
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
		to->path_addresses[i] = address_of(run, from->path[nr - 1 - i]);
	to->nr_path = nr;
	return true;
}

/* A lock of which there is no row yet comes with the next harvest. */
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
	to->construct = address_of(run, from->construct);
	to->inside = to->next = (struct code_address){ UINT32_MAX, 0 };
	if (from->kind == MS_SERIAL_REGION)
		to->next = address_of(run, inside);
	else
		to->inside = address_of(run, inside);
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
	/* old ones too: `inside` may have become known since */
	for (uint32_t id = 0; id < nr; id++)
		if (!run->regions[id].resolved &&
		    !region_fill(run, arena, &run->regions[id], region_table_at(table, id)))
			return MS_ERR_MEMORY;
	return MS_OK;
}

/* ------------------------------------------------------------------ hot spots */

struct spot {
	uint32_t region, metric;
	/* sampled instruction; instruction or return address in own code */
	uint64_t ip, own;
	uint64_t count;
	bool is_return;
};

struct spots {
	struct arena *arena;
	const struct run *run;
	struct unwinder *unwinder; /* NULL: take the sampled instruction as it is */
	struct spot *items;
	size_t nr, room;
	enum ms_status status;
};

static bool is_tool(const char *path)
{
	const char *name = base_name(path);

	return !strcmp(name, "memsearch-core.so") || !strcmp(name, "libmemsearch.so");
}

/* Samples in the tool's own code say nothing about the program; its cost is a metric of its own. */
static bool is_ours(const struct run *run, uint64_t ip)
{
	struct code_address code = address_of(run, ip);

	return code.module < run->nr_modules && is_tool(run->modules[code.module].path);
}

static void spot_keep(struct spots *spots, const struct spot *spot)
{
	if (ARENA_GROW(spots->arena, spots->items, spots->nr, spots->room))
		spots->items[spots->nr++] = *spot;
	else
		spots->status = MS_ERR_MEMORY;
}

/* Counts for the region it was in and for all around it, as the times of regions do. */
static void spot_add(void *ctx, const struct sample_site *site)
{
	struct spots *spots = ctx;
	const struct run *run = spots->run;
	struct spot spot = { .region = site->region,
			     .metric = site->metric,
			     .ip = site->ip,
			     .own = site->ip,
			     .count = site->count };
	uint64_t own;

	if (is_ours(run, site->ip))
		return;
	if (spots->unwinder && unwinder_own_code(spots->unwinder, site, &own) == MS_OK &&
	    own != site->ip) {
		spot.own = own;
		spot.is_return = true;
	}
	while (spot.region < run->nr_regions && spot.region != MS_REGION_USER) {
		spot_keep(spots, &spot);
		spot.region = run->regions[spot.region].parent;
	}
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By region, metric, own address, then the most frequent leaf first. */
static int spot_order(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int order = compare(x->region, y->region);

	order = order ? order : compare(x->metric, y->metric);
	order = order ? order : compare(x->own, y->own);
	return order ? order : compare(y->count, x->count);
}

static int spot_heavier(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int order = compare(x->region, y->region);

	order = order ? order : compare(x->metric, y->metric);
	order = order ? order : compare(y->count, x->count);
	return order ? order : compare(x->own, y->own);
}

/*
 * Sums what different threads and leaves have at the same own address; returns how many are left.
 */
static size_t spots_merge(struct spot *items, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		struct spot *last = kept ? &items[kept - 1] : NULL;

		if (last && last->region == items[i].region && last->metric == items[i].metric &&
		    last->own == items[i].own)
			last->count += items[i].count;
		else
			items[kept++] = items[i];
	}
	return kept;
}

static enum ms_status spots_keep(struct run *run, struct arena *arena, const struct spot *items,
				 size_t nr)
{
	uint64_t all = 0;

	for (size_t i = 0; i < nr; i++)
		all += items[i].count;
	if (items[0].metric == MS_METRIC_SAMPLES && all < SAMPLES_MIN)
		return MS_OK;
	for (size_t i = 0; i < nr && i < SPOTS_PER_REGION; i++) {
		if (!ARENA_GROW(arena, run->hotspots, run->nr_hotspots, run->room_hotspots))
			return MS_ERR_MEMORY;
		run->hotspots[run->nr_hotspots++] = (struct run_hotspot){
			.region = items[i].region,
			.metric = items[i].metric,
			.address = address_of(run, items[i].own),
			.leaf = address_of(run, items[i].ip),
			.is_return = items[i].is_return,
			.count = items[i].count,
			.share = (double)items[i].count / (double)all,
		};
	}
	return MS_OK;
}

static size_t spots_of_one(const struct spot *items, size_t nr)
{
	size_t same = 1;

	while (same < nr && items[same].region == items[0].region &&
	       items[same].metric == items[0].metric)
		same++;
	return same;
}

enum ms_status harvest_hotspots(struct run *run, struct arena *arena, struct unwinder *unwinder)
{
	struct spots spots = { .arena = arena_new(), .run = run, .unwinder = unwinder };
	enum ms_status status = MS_OK;

	if (!spots.arena)
		return MS_ERR_MEMORY;
	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		samples_each(thread, MS_SENSOR_SAMPLES, spot_add, &spots);
		samples_each(thread, MS_SENSOR_FAULTS, spot_add, &spots);
	}
	sort(spots.items, spots.nr, sizeof(*spots.items), spot_order);
	spots.nr = spots_merge(spots.items, spots.nr);
	sort(spots.items, spots.nr, sizeof(*spots.items), spot_heavier);
	run->nr_hotspots = 0;
	for (size_t i = 0; i < spots.nr && status == MS_OK;) {
		size_t same = spots_of_one(&spots.items[i], spots.nr - i);

		status = spots_keep(run, arena, &spots.items[i], same);
		i += same;
	}
	arena_free(spots.arena);
	return status != MS_OK ? status : spots.status;
}

enum ms_status harvest_places(struct run *run, struct arena *arena)
{
	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		uint32_t cpu = __atomic_load_n(&thread->last_cpu, __ATOMIC_RELAXED);
		uint32_t node = __atomic_load_n(&thread->last_node, __ATOMIC_RELAXED);

		while (run->nr_places <= thread->index) {
			if (!ARENA_GROW(arena, run->places, run->nr_places, run->room_places))
				return MS_ERR_MEMORY;
			run->places[run->nr_places] = (struct run_place){ (uint32_t)run->nr_places,
									  RUN_PLACE_UNKNOWN,
									  RUN_PLACE_UNKNOWN, 0 };
			run->nr_places++;
		}
		run->places[thread->index] = (struct run_place){
			.thread = thread->index,
			.cpu = cpu ? cpu - 1 : RUN_PLACE_UNKNOWN,
			.node = cpu ? node : RUN_PLACE_UNKNOWN,
			.moves = __atomic_load_n(&thread->moves, __ATOMIC_RELAXED),
		};
	}
	return MS_OK;
}
