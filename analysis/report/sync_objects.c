/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronization objects by type, class, object and place. */
#include "analysis/report/sync_objects.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/report/source_words.h"

#define UNNAMED "(unnamed)"

static const char *type_of(enum ms_region_kind kind)
{
	static const char *const types[MS_REGION_KINDS] = {
		[MS_TASKWAIT_REGION] = "taskwait", [MS_BARRIER_REGION] = "barrier",
		[MS_CRITICAL_REGION] = "critical", [MS_ORDERED_REGION] = "ordered",
		[MS_LOCK_REGION] = "lock",         [MS_REDUCTION_REGION] = "reduction",
	};

	return types[kind];
}

/* A place that takes this lock and no other; NULL: all places take several. */
static const struct run_region *place_of(const struct run *run, uint32_t mutex)
{
	for (size_t i = 0; i < run->nr_regions; i++)
		if (run->regions[i].mutex == mutex && run->regions[i].kind != MS_MUTEX)
			return &run->regions[i];
	return NULL;
}

/* "locks" of "locks[3]" and "locks(3)". */
static const char *without_index(struct arena *arena, const char *name)
{
	return arena_strndup(arena, name, strcspn(name, "[("));
}

static struct sync_name name_of_lock(struct arena *arena, const struct run *run,
				     const struct run_region *lock)
{
	const struct run_region *place = place_of(run, lock->id);
	struct sync_name name = { .type = type_of(place ? place->kind : MS_LOCK_REGION) };

	if (!lock->name) {
		name.object = arena_printf(arena, "lock_%u", lock->id);
		name.class = UNNAMED;
	} else if (!*lock->name) {
		name = (struct sync_name){ type_of(MS_CRITICAL_REGION), UNNAMED, UNNAMED };
	} else {
		name.object = lock->name;
		name.class = without_index(arena, lock->name);
	}
	return name;
}

static struct sync_name name_of_place(struct arena *arena, const struct run_region *region)
{
	const struct source *source = &region->source;
	bool known = source->line && source->file && *source->file;

	return (struct sync_name){
		.type = type_of(region->kind),
		.class = source->function && *source->function ? source->function : UNNAMED,
		.object = known ? arena_printf(arena, "%s:%d", source->file, source->line)
				: source_place(arena, source),
	};
}

struct sync_name sync_name_of(struct arena *arena, const struct run *run, uint32_t id)
{
	const struct run_region *region = id < run->nr_regions ? &run->regions[id] : NULL;
	bool takes_locks = region &&
			   (region->kind == MS_CRITICAL_REGION || region->kind == MS_LOCK_REGION);

	if (!region)
		return (struct sync_name){ 0 };
	if (region->kind == MS_MUTEX)
		return name_of_lock(arena, run, region);
	if (takes_locks && region->mutex && region->mutex < run->nr_regions)
		return name_of_lock(arena, run, &run->regions[region->mutex]);
	if (takes_locks || !type_of(region->kind))
		return (struct sync_name){ .type = type_of(region->kind) };
	return name_of_place(arena, region);
}
