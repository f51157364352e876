/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After an execution: checks whether its recorded accesses are complete, and marks those that
 * cannot be recorded.
 */
#include "analysis/base/arena.h"
#include "analysis/base/thread_clock.h"
#include "analysis/search/database.h"
#include "analysis/search/database_reading.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/loop_times.h"
#include "ompt_tool/accesses/tracing.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/fold.h"
#include "ompt_tool/recording/body_clones.h"
#include "ompt_tool/recording/recorded_code.h"
#include "ompt_tool/recording/recording_private.h"
#include "ompt_tool/recording/recording_serial.h"
#include "ompt_tool/recording/selection.h"
#include "ompt_tool/recording/source_loops.h"
#include "ompt_tool/regions/region_table.h"

/*
 * Executions until threads must have moved into clones, and tasks must run as clones. A thread moves
 * at an event of the region's body only. Where a function that the body calls executes the phase,
 * such as a solver its iterations, the next call may be many executions later: as many as fit into
 * a part of the time since the begin.
 */
#define PATIENCE 4
#define PATIENCE_PART 8
#define PATIENCE_LEAST_NS 200000000u
/*
 * consecutive executions in which functions called through pointers may be found: a thread leaves
 * its clone at the first call of one
 */
#define FOLLOWS 16
/*
 * Of what an execution took, the least that must be left for the next one, which counts a part of
 * its accesses then.
 */
#define PART_AGAIN 0.25

/* Of accesses, or of the times of loops: each execution measures one of these. */
static bool is_of_recording(uint32_t metric)
{
	return ms_metric_info(metric)->sensor ==
	       (loop_times_is_on() ? MS_SENSOR_LOOPS : MS_SENSOR_ACCESSES);
}

void recording_mark_region(struct database *db, uint32_t region, enum ms_missing why)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (is_of_recording(metric))
			database_missing(db, region, metric, why);
}

void recording_mark(const struct recording *recording, struct database *whole)
{
	for (uint32_t metric = 0; recording->works && metric < MS_METRICS; metric++)
		if (is_of_recording(metric) &&
		    database_missing_why(whole, MS_REGION_NONE, metric) == MS_PRESENT)
			database_missing(whole, MS_REGION_NONE, metric, MS_MISSING_NO_PHASE);
}

static enum ms_missing why_missing(struct database *db, uint32_t region)
{
	return database_missing_why(db, region,
				    loop_times_is_on() ? MS_METRIC_LOOP_TIME : MS_METRIC_READS);
}

/* The region's counts by instruction are incomplete. */
static void drop_counts(struct region *region)
{
	if (!loop_times_is_on())
		__atomic_fetch_add(&region->recordings, 1, __ATOMIC_RELAXED);
}

/*
 * Drops rows by instruction of a region without a value: they would cover only some of its threads.
 */
static void give_up(struct database *db, struct region *region, enum ms_missing why)
{
	if (!database_observed(db, region->id, MS_METRIC_READS))
		drop_counts(region);
	recording_mark_region(db, region->id, why);
}

/*
 * If a construct has no values, its loops and data structures have none either, although some of
 * its threads have.
 */
static void mark_parts(const struct recording *recording, struct database *db)
{
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		const struct region *region = region_table_at(recording->regions, id),
				    *construct = region;

		while (construct && ms_region_kind_is_part(construct->kind))
			construct = region_table_at(recording->regions, construct->parent);
		if (construct && why_missing(db, construct->id) != MS_PRESENT &&
		    why_missing(db, id) == MS_PRESENT)
			recording_mark_region(db, id, why_missing(db, construct->id));
	}
}

static bool is_patient(const struct recording *recording, const struct wait *wait)
{
	uint64_t now_ns = thread_clock_ns(),
		 most_ns = (now_ns - recording->begun_ns) / PATIENCE_PART;

	return wait->executions <= PATIENCE ||
	       now_ns - wait->since_ns <
		       (most_ns > PATIENCE_LEAST_NS ? most_ns : PATIENCE_LEAST_NS);
}

/*
 * True: threads are known to have left out values of the region in the execution that ended, and
 * may still do better. `follows`: they may have left clones because of functions that are known
 * now.
 */
static bool is_waited_for(struct recording *recording, const struct region *region, bool follows,
			  bool *patient_out)
{
	uint32_t unrecorded = __atomic_load_n(&region->unrecorded, __ATOMIC_RELAXED);
	struct wait *wait;

	*patient_out = true;
	while (recording->nr_waits <= region->id) {
		if (!ARENA_GROW(recording->arena, recording->waits, recording->nr_waits,
				recording->room_waits))
			return false;
		recording->waits[recording->nr_waits++] = (struct wait){ 0 };
	}
	wait = &recording->waits[region->id];
	wait->executions = unrecorded == wait->unrecorded ? 0 : wait->executions + !follows;
	wait->unrecorded = unrecorded;
	if (wait->executions <= 1)
		wait->since_ns = thread_clock_ns();
	*patient_out = is_patient(recording, wait);
	return wait->executions && *patient_out;
}

/*
 * Functions called through pointers become known when they are called; after FOLLOWS executions no
 * further ones are waited for, nor where there will be no next one. Threads that left their clones
 * at such a call, in a region that continues, move into them again.
 */
static bool is_following(struct recording *recording, bool last)
{
	bool new = recorded_code_follow();

	recording->follows = new ? recording->follows + 1 : 0;
	if (recording->follows > FOLLOWS || last)
		return false;
	if (new)
		selection_announce(recording);
	for (uint32_t id = 0; new && id < region_table_count(recording->regions); id++)
		if (selection_asked(region_table_at(recording->regions, id)))
			drop_counts(region_table_at(recording->regions, id));
	return new;
}

/* Serial code that runs as clones: loops are timed in parallel regions only. */
static bool is_serial_code(const struct region *region)
{
	return region->kind == MS_SERIAL_REGION && !loop_times_is_on();
}

/* Whether the region's accesses are requested and can be recorded. */
static bool may_be_recorded(const struct recording *recording, struct region *region)
{
	struct region *holder = selection_asked(region) ? selection_holder(recording, region)
							: NULL;

	return selection_asked(region) &&
	       (is_serial_code(region) || (holder && selection_recorded(holder)));
}

static bool is_complete(const struct recording *recording, const struct region *region)
{
	uint32_t unrecorded = __atomic_load_n(&region->unrecorded, __ATOMIC_RELAXED);

	return unrecorded ==
	       (region->id < recording->nr_waits ? recording->waits[region->id].unrecorded : 0);
}

static bool some_region_is_complete(const struct recording *recording, struct database *db)
{
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id);

		if (region->kind == MS_PARALLEL_REGION && may_be_recorded(recording, region) &&
		    why_missing(db, id) == MS_PRESENT && is_complete(recording, region))
			return true;
	}
	return false;
}

uint64_t recording_left_ns(void)
{
	const struct thread *initial = event_initial();

	return initial ? accesses_left_ns(initial) : UINT64_MAX;
}

/*
 * No time is left for another execution, and this one, which waiting would discard, has values of
 * some regions.
 */
static bool is_last(struct recording *recording, struct database *db)
{
	uint64_t left_ns = recording_left_ns();
	uint64_t spent_ns = recording->left_ns > left_ns ? recording->left_ns - left_ns : 0;

	recording->left_ns = left_ns;
	return !loop_times_is_on() && (double)left_ns < PART_AGAIN * (double)spent_ns &&
	       some_region_is_complete(recording, db);
}

bool recording_settling(struct recording *recording, struct database *db)
{
	bool follows = false, settling = false, last = false, patient;

	if (recording->asked) {
		last = is_last(recording, db);
		recording_serial_follow();
		settling = follows = is_following(recording, last);
		loops_update(recording->loops);
	}
	if (recording_used_up(recording))
		return true;
	for (uint32_t id = 0; recording->asked && id < region_table_count(recording->regions);
	     id++) {
		struct region *region = region_table_at(recording->regions, id);
		bool waited;

		if (!may_be_recorded(recording, region) || why_missing(db, id) != MS_PRESENT)
			continue;
		waited = is_waited_for(recording, region, follows, &patient);
		settling |= waited && !last;
		if (!patient || (waited && last))
			give_up(db, region, patient ? MS_MISSING_BUDGET : MS_MISSING_NOT_RECORDED);
	}
	if (settling)
		tracing_put_off();
	return settling;
}

bool recording_incomplete(struct recording *recording)
{
	uint32_t parts = events_incomplete_parts(), before = recording->incomplete_parts;

	recording->incomplete_parts = parts;
	return parts != before;
}

bool recording_used_up(const struct recording *recording)
{
	return recording->asked && (loop_times_is_on() ? loop_times_used_up() : accesses_used_up());
}

void recording_drop(const struct recording *recording, const struct database *db)
{
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id);

		if (selection_asked(region) && !database_observed(db, id, MS_METRIC_READS))
			drop_counts(region);
	}
}

/* Marks regions in which a table was full, so that the lines that threads share are unknown. */
static void check_lines(struct recording *recording, struct database *db)
{
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++)
		if (accesses_not_looked_at(id)) {
			database_missing(db, id, MS_METRIC_FALSELY_SHARED, MS_MISSING_UNCOVERED);
			database_missing(db, id, MS_METRIC_TOUCHED_LINES, MS_MISSING_UNCOVERED);
		}
}

/*
 * A body is known from the begin of its region, so every region has had an execution for that; or
 * else from the stack.
 */
bool recording_check(struct recording *recording, struct database *db)
{
	uint32_t nr_before = body_clones_count();
	bool changed = false;

	if (!recording->prepared || ++recording->executions < 2 || !recording->asked)
		return false;
	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id);
		struct region *holder = selection_asked(region)
						? selection_holder(recording, region)
						: NULL;

		if (!selection_asked(region) || why_missing(db, id) != MS_PRESENT)
			continue;
		if (!recording->obstacle && (is_serial_code(region) ||
					     (holder && (selection_recorded(holder) ||
							 selection_add_bodies(recording, holder)))))
			continue;
		recording_mark_region(db, id, MS_MISSING_NOT_RECORDED);
		changed = true;
	}
	mark_parts(recording, db);
	check_lines(recording, db);
	if (body_clones_count() != nr_before)
		selection_announce(recording);
	return changed;
}
