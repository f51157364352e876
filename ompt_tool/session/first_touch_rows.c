/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First touches of the data structures that a recorded execution accessed, for the performance
 * database.
 */
#include "ompt_tool/session/first_touch_rows.h"

#include <stdbool.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/search/database.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/regions/region_table.h"

struct access {
	uint32_t array, region, thread;
};

struct touching {
	struct arena *arena;
	struct region_table *regions;
	const struct inventory *inventory;
	struct access *accesses; /* regions of kind DATA_STRUCTURE in this execution */
	size_t nr, room;
};

struct touching *touching_new(struct arena *arena, struct region_table *regions,
			      const struct inventory *inventory)
{
	struct touching *touching = arena_alloc(arena, sizeof(*touching));

	if (touching)
		*touching = (struct touching){ .arena = arena,
					       .regions = regions,
					       .inventory = inventory };
	return touching;
}

void touching_note(struct touching *touching, const struct ms_measurement *row)
{
	const struct region *region = row->metric == MS_METRIC_READS
					      ? region_table_at(touching->regions, row->region)
					      : NULL;

	if (region && region->kind == MS_DATA_STRUCTURE &&
	    ARENA_GROW(touching->arena, touching->accesses, touching->nr, touching->room))
		touching->accesses[touching->nr++] = (struct access){
			(uint32_t)(region->construct - 1), row->region, row->thread
		};
}

static int by_array(const void *left, const void *right)
{
	const struct access *a = left, *b = right;

	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

static void add(struct database *db, uint32_t region, uint32_t thread, uint32_t metric,
		double value)
{
	struct ms_measurement row = { .region = region, .thread = thread, .metric = metric };

	ms_stat_add(&row.stat, value);
	database_add(db, &row);
}

/* It touched the structure first, and does not access it here. */
static void add_no_accesses(struct database *db, uint32_t region, uint32_t thread)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (ms_metric_info(metric)->sensor == MS_SENSOR_ACCESSES &&
		    !ms_metric_info(metric)->gauge)
			add(db, region, thread, metric, 0);
}

/* `nr` accesses of one region, by thread. */
static void add_touches(struct database *db, const struct access *accesses, size_t nr,
			const struct touched *touched)
{
	uint32_t region = accesses[0].region, last = accesses[nr - 1].thread;

	for (uint32_t thread = 0, at = 0; thread < touched->threads || thread <= last; thread++) {
		double bytes = thread < touched->threads ? (double)touched->bytes[thread] : 0;
		bool accesses_it = at < nr && accesses[at].thread == thread;

		while (at < nr && accesses[at].thread == thread)
			at++;
		if (!accesses_it && !(bytes > 0))
			continue;
		add(db, region, thread, MS_METRIC_FIRST_TOUCHED, bytes);
		if (!accesses_it)
			add_no_accesses(db, region, thread);
	}
}

/* `nr` accesses of one region. */
static void rows_of_region(struct database *db, const struct access *accesses, size_t nr,
			   enum ms_missing why, const struct touched *touched)
{
	uint32_t region = accesses[0].region;

	if (database_missing_why(db, region, MS_METRIC_FIRST_TOUCHED) != why)
		database_missing(db, region, MS_METRIC_FIRST_TOUCHED, why);
	if (why == MS_PRESENT)
		add_touches(db, accesses, nr, touched);
}

/* `nr` accesses of one array, by region. */
static void rows_of_array(struct touching *touching, struct database *db,
			  const struct access *accesses, size_t nr, struct inventory_look *look)
{
	struct touched touched;
	enum ms_missing why = inventory_touched(touching->inventory, accesses[0].array, look,
						&touched);

	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && accesses[end].region == accesses[i].region;)
			end++;
		rows_of_region(db, &accesses[i], end - i, why, &touched);
	}
}

void touching_rows(struct touching *touching, struct database *db)
{
	struct arena *scratch = db && touching->nr ? arena_new() : NULL;
	struct inventory_look look = { .scratch = scratch, .left = INVENTORY_LOOK_BYTES };

	sort(touching->accesses, touching->nr, sizeof(*touching->accesses), by_array);
	for (size_t i = 0, end; scratch && i < touching->nr; i = end) {
		for (end = i + 1; end < touching->nr &&
				  touching->accesses[end].array == touching->accesses[i].array;)
			end++;
		rows_of_array(touching, db, &touching->accesses[i], end - i, &look);
	}
	arena_free(scratch);
	touching->nr = 0;
}
