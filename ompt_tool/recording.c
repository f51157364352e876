/* SPDX-License-Identifier: Apache-2.0 */
/* Which code runs as recording clones. */
#include "ompt_tool/recording.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/search/database.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/sensors/sensor.h"
#include "ompt_tool/thread.h"

#define ACCESSES (1u << MS_SENSOR_ACCESSES)
#define DEPTH 8                          /* callees of callees … that are recorded, too */
#define BODIES_ON 64                     /* functions recorded at a time; one experiment is about one region and what is in it */

struct recording {
	struct arena *arena;
	struct region_table *regions;
	struct run *run;
	bool works, prepared;
	uint64_t executions;             /* since it was prepared */
};

/* Functions whose clones are handed over now; read by every thread at every region. Atomic. */
static uint64_t on[BODIES_ON];
static uint32_t nr_on;

struct recording *recording_new(struct arena *arena, struct region_table *regions, struct run *run)
{
	struct recording *recording = arena_alloc(arena, sizeof(*recording));

	if (recording)
		*recording = (struct recording){ .arena = arena, .regions = regions, .run = run,
						 .works = sensors[MS_SENSOR_ACCESSES] && sensor_works(MS_SENSOR_ACCESSES) };
	return recording;
}

static void mark(struct database *db, uint32_t region, enum ms_missing why)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (ms_metric_info(metric)->sensor == MS_SENSOR_ACCESSES)
			database_missing(db, region, metric, why);
}

void recording_mark(const struct recording *recording, struct database *whole)
{
	if (recording->works)
		mark(whole, MS_REGION_NONE, MS_MISSING_NO_PHASE);
}

/* ------------------------------------------------------------------ handing over */

static bool is_on(uint64_t function)
{
	uint32_t nr = __atomic_load_n(&nr_on, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++)
		if (__atomic_load_n(&on[i], __ATOMIC_RELAXED) == function)
			return true;
	return false;
}

/* Any thread, about to enter the runtime. */
static uintptr_t translate(uintptr_t function)
{
	struct thread *self = events_self();
	uintptr_t clone = self && is_on(function) ? clone_of(function) : 0;

	if (self) {
		self->handed = function;
		self->handed_clone = clone != 0;
	}
	return clone ? clone : function;
}

static void drop(struct recording *recording, const char *what, const char *why, uint64_t count)
{
	struct run *run = recording->run;

	if (ARENA_GROW(recording->arena, run->dropped, run->nr_dropped, run->room_dropped))
		run->dropped[run->nr_dropped++] = (struct run_dropped){ what, why, count };
}

/* Also for modules that came by dlopen meanwhile. */
static bool hand_over(struct recording *recording)
{
	struct switching_status status;

	if (switching_hand_over(translate, &status))
		return true;
	drop(recording, "accesses to the program's data structures", status.why, 0);
	return false;
}

void recording_prepare(struct recording *recording)
{
	if (recording->works && !recording->prepared)
		recording->prepared = recording->works = hand_over(recording);
}

/* ------------------------------------------------------------------ selecting */

/* The parallel region whose body the region's code is in; NULL: none. */
static struct region *team_of(const struct recording *recording, struct region *region)
{
	while (region && region->kind != MS_PARALLEL_REGION && region->id != MS_REGION_USER)
		region = region_table_at(recording->regions, region->parent);
	return region && region->kind == MS_PARALLEL_REGION ? region : NULL;
}

static bool add_body(uint64_t function)
{
	static const struct clone_options options = { .probes = CLONE_ACCESSES, .depth = DEPTH, .runtime_calls_it = true };

	if (is_on(function))
		return true;
	if (nr_on == BODIES_ON || !clone_make(function, &options))
		return false;
	__atomic_store_n(&on[nr_on], function, __ATOMIC_RELAXED);
	__atomic_store_n(&nr_on, nr_on + 1, __ATOMIC_RELEASE);
	return true;
}

/* All of its bodies, or none of what it accesses is known. */
static bool add_bodies(struct region *team)
{
	uint32_t nr = team ? region_bodies(team) : 0;

	for (uint32_t i = 0; i < nr; i++)
		if (!add_body(team->bodies[i]))
			return false;
	return nr > 0;
}

static bool is_asked(const struct region *region)
{
	return region && region->kind != MS_DATA_STRUCTURE && region->id != MS_REGION_USER && (region_requests(region) & ACCESSES);
}

bool recording_select(struct recording *recording)
{
	const struct thread *self = events_self();

	if (!recording->prepared)
		return false;
	__atomic_store_n(&nr_on, 0, __ATOMIC_RELEASE);
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id);

		if (is_asked(region))
			add_bodies(team_of(recording, region));
	}
	if (nr_on)
		hand_over(recording);
	return self && self->handed && self->handed_clone != is_on(self->handed);
}

/* ------------------------------------------------------------------ what cannot be had */

static bool is_recorded(struct region *team)
{
	uint32_t nr = region_bodies(team);

	for (uint32_t i = 0; i < nr; i++)
		if (!is_on(team->bodies[i]))
			return false;
	return nr > 0;
}

/* A body is told by the begin of its region, so every region has had an execution to tell it. */
bool recording_check(struct recording *recording, struct database *db, bool inside)
{
	bool changed = false;

	if (!recording->prepared || ++recording->executions < 2)
		return false;
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id);
		struct region *team = is_asked(region) ? team_of(recording, region) : NULL;

		if (!is_asked(region) || database_missing_why(db, id, MS_METRIC_READS) != MS_PRESENT)
			continue;
		if (team && !inside && (is_recorded(team) || add_bodies(team)))
			continue;
		mark(db, id, MS_MISSING_NOT_RECORDED);
		changed = true;
	}
	return changed;
}

void recording_finish(struct recording *recording)
{
	const struct clone_refusal *refusals;
	const struct clone_missed *missed;
	size_t nr = clone_refusals(&refusals);
	uint64_t calls = 0;

	for (size_t i = 0; i < nr; i++)
		drop(recording, "accesses of a function that could not be copied", refusals[i].why, 1);
	nr = clone_missed(&missed);
	for (size_t i = 0; i < nr; i++)
		if (event_code((const void *)missed[i].target))      /* the runtime's own data is not the program's */
			calls += missed[i].calls;
	if (calls)
		drop(recording, "accesses in functions called from recorded code", "they lead into other libraries, or through pointers", calls);
}

void recording_forget(void)
{
	__atomic_store_n(&nr_on, 0, __ATOMIC_RELEASE);
}
