/* SPDX-License-Identifier: Apache-2.0 */
/* The performance database: regions, what was observed when, and the values. */
#include "analysis/search/database.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/search/column.h"
#include "analysis/search/database_private.h"
#include "analysis/search/database_reading.h"

struct database *database_new(struct arena *arena)
{
	struct database *db = arena_alloc(arena, sizeof(*db));

	if (db) {
		db->arena = arena;
		db->version = 1; /* 0: never computed */
		db->workspace = property_workspace_new(arena);
	}
	return db;
}

/* ------------------------------------------------------------------ regions */

static void unlink_child(struct database *db, uint32_t id)
{
	struct database_region *parent = &db->regions[db->regions[id].info.parent];
	uint32_t *link = &parent->first_child, last = MS_REGION_NONE;

	while (*link != id) {
		last = *link;
		link = &db->regions[last].next_sibling;
	}
	*link = db->regions[id].next_sibling;
	if (parent->last_child == id)
		parent->last_child = last;
	db->regions[id].next_sibling = MS_REGION_NONE;
}

static void link_child(struct database *db, uint32_t id)
{
	struct database_region *parent = &db->regions[db->regions[id].info.parent];

	if (parent->last_child == MS_REGION_NONE)
		parent->first_child = id;
	else
		db->regions[parent->last_child].next_sibling = id;
	parent->last_child = id;
}

/* Whether `region` is `root` or below it. */
static bool is_below(const struct database *db, uint32_t region, uint32_t root)
{
	while (region != MS_REGION_NONE && region != root)
		region = db->regions[region].info.parent;
	return region == root;
}

/* The window of a new child holds what that of its parent does of everything below. */
static void inherit_mark(struct database *db, struct column *column, const struct column *from)
{
	const struct column_mark *mark = column_marked(db, from);

	if (!mark)
		return;
	column_mark(db, column);
	if (column->mark)
		column->mark->all = column->mark->below = mark->below;
}

/*
 * What was asked of everything below the parent was asked of a new child, too: it just had not been
 * met.
 */
static enum ms_status inherit_requests(struct database *db, uint32_t id)
{
	const struct database_region *parent = &db->regions[db->regions[id].info.parent];

	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		const struct column *from = region_column(parent, metric);
		struct column *column;

		if (!from || (!from->below.on && !observation_executions(db, &from->below)) ||
		    database_is_dropped(db, id, metric))
			continue;
		column = column_get(db, id, metric);
		if (!column)
			return MS_ERR_MEMORY;
		column->below = from->below;
		column->below_kinds = from->below_kinds;
		column->below_stamp = db->generation;
		if (!from->below_kinds || (from->below_kinds >> db->regions[id].info.kind & 1)) {
			column->all = from->below;
			column->stamp = db->generation;
		}
		if (column->below.on && !column_list(db, column))
			return MS_ERR_MEMORY;
		inherit_mark(db, column, from);
	}
	return MS_OK;
}

static enum ms_status region_append(struct database *db, const struct ms_region_info *info)
{
	struct database_region *region;

	if (!ARENA_GROW(db->arena, db->regions, db->nr_regions, db->room_regions))
		return MS_ERR_MEMORY;
	db->has_called |= info->kind == MS_SUB_REGION && info->parent < db->nr_regions &&
			  db->regions[info->parent].info.kind == MS_CALL_REGION;
	region = &db->regions[db->nr_regions++];
	*region = (struct database_region){
		.info = *info,
		.first_child = MS_REGION_NONE,
		.last_child = MS_REGION_NONE,
		.next_sibling = MS_REGION_NONE,
	};
	if (info->parent == MS_REGION_NONE)
		return MS_OK;
	link_child(db, info->id);
	return inherit_requests(db, info->id);
}

static enum ms_status region_update(struct database *db, const struct ms_region_info *info)
{
	struct database_region *region = &db->regions[info->id];

	if (info->parent == region->info.parent) {
		region->info = *info;
		return MS_OK;
	}
	if (info->parent == MS_REGION_NONE || is_below(db, info->parent, info->id))
		return MS_ERR_INVALID;
	if (region->info.parent != MS_REGION_NONE)
		unlink_child(db, info->id);
	region->info = *info;
	link_child(db, info->id);
	return MS_OK;
}

enum ms_status database_region(struct database *db, const struct ms_region_info *info)
{
	bool is_root = info->id == MS_REGION_USER;
	enum ms_status status;

	if (info->id > db->nr_regions || (unsigned int)info->kind >= MS_REGION_KINDS)
		return MS_ERR_INVALID;
	if (is_root != (info->parent == MS_REGION_NONE) ||
	    (!is_root && info->parent >= db->nr_regions))
		return MS_ERR_INVALID;
	status = info->id == db->nr_regions ? region_append(db, info) : region_update(db, info);
	db->version++;
	if (status == MS_OK)
		database_tell(
			db, &(struct database_change){ .kind = DATABASE_REGION, .of.info = *info });
	return status;
}

uint32_t database_regions(const struct database *db)
{
	return (uint32_t)db->nr_regions;
}

bool database_region_info(const struct database *db, uint32_t region, struct ms_region_info *out)
{
	if (region >= db->nr_regions)
		return false;
	*out = db->regions[region].info;
	return true;
}

size_t database_children(const struct database *db, uint32_t region, struct ms_region_info *out,
			 size_t room)
{
	size_t nr = 0;

	if (region >= db->nr_regions)
		return 0;
	for (uint32_t child = db->regions[region].first_child; child != MS_REGION_NONE;
	     child = db->regions[child].next_sibling, nr++)
		if (nr < room)
			out[nr] = db->regions[child].info;
	return nr;
}

uint32_t database_first_child(const struct database *db, uint32_t region)
{
	return region < db->nr_regions ? db->regions[region].first_child : MS_REGION_NONE;
}

uint32_t database_next_sibling(const struct database *db, uint32_t region)
{
	return region < db->nr_regions ? db->regions[region].next_sibling : MS_REGION_NONE;
}

uint32_t database_walk(const struct database *db, uint32_t root, uint32_t region)
{
	if (db->regions[region].first_child != MS_REGION_NONE)
		return db->regions[region].first_child;
	while (region != root && db->regions[region].next_sibling == MS_REGION_NONE)
		region = db->regions[region].info.parent;
	return region == root ? MS_REGION_NONE : db->regions[region].next_sibling;
}

/* ------------------------------------------------------------------ requests */

static uint32_t both_kinds(uint32_t one, uint32_t other)
{
	return one && other ? one | other : MS_REQUEST_ALL_KINDS;
}

/* `own`: the region itself is meant; `below`: so is what is below it. */
static void request_apply(struct database *db, const struct ms_request *request, uint32_t region,
			  bool own, bool below)
{
	struct column *column = database_is_dropped(db, region, request->metric)
					? NULL
					: column_get(db, region, request->metric);

	if (!column || !column_list(db, column))
		return; /* dropped, or no memory: as if it had not been requested */
	if (request->thread != MS_REQUEST_ALL_THREADS) {
		if (own)
			column_want_thread(db, column, request->thread);
		return;
	}
	if (own)
		column->stamp = db->generation;
	if (below) {
		column->below_kinds = column->below_stamp == db->generation
					      ? both_kinds(column->below_kinds, request->kinds)
					      : request->kinds;
		column->below_stamp = db->generation;
	}
}

static void request_apply_below(struct database *db, const struct ms_request *request)
{
	request_apply(db, request, request->region, true, true);
	for (uint32_t region = database_walk(db, request->region, request->region);
	     region != MS_REGION_NONE; region = database_walk(db, request->region, region))
		request_apply(db, request, region,
			      ms_request_wants(request, db->regions[region].info.kind), true);
}

static void tell_requests(struct database *db, const struct ms_request *requests, size_t nr)
{
	for (size_t i = 0; (db->follower || db->intervals) && i < nr; i++)
		if (requests[i].region < db->nr_regions && requests[i].metric < MS_METRICS)
			database_tell(db, &(struct database_change){ .kind = DATABASE_REQUEST,
								     .of.request = requests[i] });
	database_tell(db, &(struct database_change){ .kind = DATABASE_REQUESTS });
}

/* Without memory for it an interval that is declared later has no values until the next set. */
static void keep_requests(struct database *db, const struct ms_request *requests, size_t nr)
{
	db->asked.nr = 0;
	for (size_t i = 0; i < nr; i++)
		if (ARENA_GROW(db->arena, db->asked.items, db->asked.nr, db->asked.room))
			db->asked.items[db->asked.nr++] = requests[i];
}

void database_requests(struct database *db, const struct ms_request *requests, size_t nr)
{
	struct column_list before = db->listed;

	keep_requests(db, requests, nr);
	db->generation++;
	db->version++;
	db->counting = false;
	db->listed = db->spare;
	db->listed.nr = 0;
	for (size_t i = 0; i < nr; i++) {
		if (requests[i].region >= db->nr_regions || requests[i].metric >= MS_METRICS)
			continue;
		db->counting |= ms_metric_sends_zero(requests[i].metric);
		if (requests[i].flags & MS_REQUEST_SUBREGIONS)
			request_apply_below(db, &requests[i]);
		else
			request_apply(db, &requests[i], requests[i].region, true, false);
	}
	for (size_t i = 0; i < before.nr; i++)
		column_switch(db, before.items[i]);
	for (size_t i = 0; i < db->listed.nr; i++)
		column_switch(db, db->listed.items[i]);
	db->spare = before;
	tell_requests(db, requests, nr);
}

/* ------------------------------------------------------------------ executions */

void database_execution_begin(struct database *db)
{
	/* rows that came since the last end belong to this execution anyway */
	(void)db;
}

/*
 * The first row of a region in this group: everything asked of the region was under observation
 * while it ran.
 */
static void region_seen(struct database *db, struct database_region *region)
{
	if (region->seen == db->total.groups + 1)
		return;
	db->regions_executed += !region->seen;
	region->seen = db->total.groups + 1;
	for (size_t metric = 0; metric < MS_METRICS; metric++) {
		struct column *column = region_column(region, metric);

		if (column && column_is_on(column))
			column->executed++;
	}
}

/*
 * A thread executed the region so often, so every counter under observation there should have been
 * read as often.
 */
static enum ms_status expect_readings(struct database *db, struct database_region *region,
				      uint32_t thread, uint64_t executions)
{
	uint32_t slot;

	if (!team_slot_make(db->arena, &region->team, thread, &slot))
		return MS_ERR_MEMORY;
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		struct column *column = ms_metric_sends_zero(metric) ? region_column(region, metric)
								     : NULL;

		if (column && column_is_on(column) && !column_expect(db, column, slot, executions))
			return MS_ERR_MEMORY;
	}
	return MS_OK;
}

/* Its counters are added up over the parallel regions and serial stretches directly below. */
static bool is_part_of_user_region(const struct ms_region_info *info)
{
	return info->parent == MS_REGION_USER &&
	       (info->kind == MS_PARALLEL_REGION || info->kind == MS_SERIAL_REGION);
}

static enum ms_status note_execution(struct database *db, struct database_region *region,
				     const struct ms_measurement *row)
{
	enum ms_status status = MS_OK;

	if (!db->counting || row->metric != MS_METRIC_TIME || row->region == MS_REGION_USER)
		return MS_OK;
	status = expect_readings(db, region, row->thread, row->stat.count);
	if (status == MS_OK && is_part_of_user_region(&region->info))
		status = expect_readings(db, &db->regions[MS_REGION_USER], row->thread,
					 row->stat.count);
	return status;
}

enum ms_status database_add(struct database *db, const struct ms_measurement *row)
{
	struct database_region *region;
	struct column *column;
	uint32_t slot;

	if (row->region >= db->nr_regions || row->metric >= MS_METRICS)
		return MS_ERR_NOT_FOUND;
	if (!row->stat.count)
		return MS_OK;
	database_tell(db, &(struct database_change){ .kind = DATABASE_ROW, .of.row = *row });
	region = &db->regions[row->region];
	db->version++;
	region_seen(db, region);
	if (!team_slot_make(db->arena, &region->team, row->thread, &slot) ||
	    note_execution(db, region, row) != MS_OK)
		return MS_ERR_MEMORY;
	column = region_column(region, row->metric);
	return column ? column_add(db, column, row, slot) : MS_OK;
}

void database_execution_end(struct database *db, double wall_ns, uint64_t executions)
{
	uint32_t batch = db->total.groups % DATABASE_BATCHES;

	db->total.executions[batch] += executions;
	db->total.ns[batch] += wall_ns > 0 ? wall_ns : 0;
	db->total.groups++;
	db->wall_ns += wall_ns > 0 ? wall_ns : 0;
	db->version++;
	db->executions += executions;
	db->executions_read += db->listed.nr ? executions : 0;
	database_tell(
		db, &(struct database_change){ .kind = DATABASE_EXECUTION,
					       .of.execution = { fmax(0, wall_ns), executions } });
}

void database_clear(struct database *db)
{
	for (size_t id = 0; id < db->nr_regions; id++) {
		struct database_region *region = &db->regions[id];

		for (size_t metric = 0; metric < MS_METRICS; metric++)
			if (region_column(region, metric))
				column_clear(region_column(region, metric));
		region->dropped = false;
		region->team.nr = 0;
		region->team.threads = region->team.slots = NULL;
		region->seen = 0;
	}
	memset(&db->total, 0, sizeof(db->total));
	db->window++;
	db->version++;
	db->executions = db->executions_read = 0;
	db->regions_executed = 0;
	db->has_dropped = db->locks_dropped = false;
	db->since = 0;
	db->wall_ns = 0;
	database_tell(db, &(struct database_change){ .kind = DATABASE_CLEAR });
}

void database_forget(struct database *db, uint32_t metric)
{
	db->version++;
	for (size_t id = 0; metric < MS_METRICS && id < db->nr_regions; id++)
		if (region_column(&db->regions[id], metric))
			column_forget(db, region_column(&db->regions[id], metric));
	database_tell(db, &(struct database_change){ .kind = DATABASE_FORGET, .metric = metric });
}

uint32_t database_regions_executed(const struct database *db)
{
	return db->regions_executed;
}

uint64_t database_executions(const struct database *db)
{
	return db->executions;
}

void database_mark(struct database *db)
{
	db->window++;
	db->version++;
	db->since = db->executions;
	for (size_t i = 0; i < db->listed.nr; i++)
		column_mark(db, db->listed.items[i]);
}

uint64_t database_since(const struct database *db)
{
	return db->since;
}

uint64_t database_executions_read(const struct database *db)
{
	return db->executions_read;
}

uint64_t database_groups(const struct database *db)
{
	return db->total.groups;
}

double database_phase_ns(const struct database *db)
{
	return db->executions ? db->wall_ns / (double)db->executions : 0;
}

/* ------------------------------------------------------------------ dropped constructs */

static bool has_inside(const struct database *db, uint32_t region, uint32_t kinds)
{
	for (uint32_t at = database_walk(db, region, region); at != MS_REGION_NONE;
	     at = database_walk(db, region, at))
		if (kinds >> db->regions[at].info.kind & 1)
			return true;
	return false;
}

void database_drop(struct database *db, uint32_t region)
{
	if (region >= db->nr_regions)
		return;
	db->has_dropped = db->regions[region].dropped = true;
	db->locks_dropped |= has_inside(db, region,
					1u << MS_CRITICAL_REGION | 1u << MS_LOCK_REGION);
	db->version++;
	database_tell(db, &(struct database_change){ .kind = DATABASE_DROP, .region = region });
}

bool database_drops(const struct database *db, uint32_t region)
{
	return region < db->nr_regions && db->regions[region].dropped;
}

bool database_is_dropped(const struct database *db, uint32_t region, uint32_t metric)
{
	if (!db->has_dropped || region >= db->nr_regions || metric >= MS_METRICS ||
	    ms_metric_info(metric)->sensor == MS_SENSOR_ACCESSES ||
	    ms_metric_info(metric)->sensor == MS_SENSOR_SIMULATED ||
	    ms_metric_info(metric)->sensor == MS_SENSOR_LOOPS)
		return false;
	if (db->regions[region].info.kind == MS_MUTEX && db->locks_dropped)
		return true;
	if (db->regions[region].dropped)
		return metric == MS_METRIC_BARRIER_WAIT &&
		       has_inside(db, region, 1u << MS_TASK_REGION);
	while ((region = db->regions[region].info.parent) != MS_REGION_NONE)
		if (db->regions[region].dropped)
			return true;
	return false;
}

/*
 * ------------------------------------------------------------------ missing values and constants
 */

void database_missing(struct database *db, uint32_t region, uint32_t metric, enum ms_missing why)
{
	struct column *column;

	if (metric >= MS_METRICS)
		return;
	database_tell(db, &(struct database_change){ .kind = DATABASE_MISSING,
						     .metric = metric,
						     .region = region,
						     .why = why });
	db->version++;
	if (region == MS_REGION_NONE) {
		db->missing[metric] = why;
		return;
	}
	column = region < db->nr_regions ? column_get(db, region, metric) : NULL;
	if (column)
		column->missing = why;
}

static bool is_of_recorded(uint32_t metric)
{
	enum ms_sensor_id sensor = ms_metric_info(metric)->sensor;

	return sensor == MS_SENSOR_SIMULATED || sensor == MS_SENSOR_LOOPS ||
	       (sensor == MS_SENSOR_ACCESSES && !ms_metric_is_of_lines(metric));
}

static bool is_measured_in_parts(enum ms_region_kind kind, uint32_t metric)
{
	return is_of_recorded(metric) || (kind == MS_SUB_REGION && metric == MS_METRIC_SAMPLES);
}

bool database_tells(const struct database *db, enum ms_region_kind kind, uint32_t metric)
{
	return !ms_region_kind_is_code_part(kind) || is_measured_in_parts(kind, metric) ||
	       (kind == MS_SUB_REGION && db->has_called);
}

/* Lines are marked for the whole construct, also those of data structures in a part of its code. */
static bool is_measured_in(const struct database *db, uint32_t region, uint32_t metric)
{
	const struct ms_region_info *info = region < db->nr_regions ? &db->regions[region].info
								    : NULL;
	enum ms_region_kind around;

	if (!info || metric >= MS_METRICS || info->parent >= db->nr_regions)
		return true;
	around = db->regions[info->parent].info.kind;
	if (ms_metric_is_of_lines(metric) && info->kind == MS_DATA_STRUCTURE)
		return !ms_region_kind_is_code_part(around);
	return !ms_region_kind_is_code_part(info->kind) ||
	       is_measured_in_parts(info->kind, metric) || around == MS_CALL_REGION;
}

enum ms_missing database_missing_why(const struct database *db, uint32_t region, uint32_t metric)
{
	const struct column *column = region < db->nr_regions && metric < MS_METRICS
					      ? region_column(&db->regions[region], metric)
					      : NULL;

	if (metric < MS_METRICS && db->missing[metric] != MS_PRESENT)
		return db->missing[metric];
	if (!is_measured_in(db, region, metric))
		return MS_MISSING_IN_LOOP;
	return column ? column->missing : MS_PRESENT;
}

static struct database_constant *constant_find(const struct database *db, const char *name)
{
	for (size_t i = 0; i < db->nr_constants; i++)
		if (!strcmp(db->constants[i].name, name))
			return &db->constants[i];
	return NULL;
}

void database_sample_period(struct database *db, double accesses)
{
	db->sample_period = accesses;
	db->version++;
	database_tell(db, &(struct database_change){ .kind = DATABASE_SAMPLE_PERIOD,
						     .of.sample_period = accesses });
}

static void tell_constant(struct database *db, const struct database_constant *constant)
{
	struct database_change change;

	if ((db->follower || db->intervals) && database_change_constant(&change, constant))
		database_tell(db, &change);
}

static void set_constant(struct database *db, const char *name, double value, double error,
			 enum ms_rung rung)
{
	struct database_constant *constant = constant_find(db, name);
	char *copy;

	db->version++;
	tell_constant(db, &(struct database_constant){ name, value, error, rung });
	if (constant) {
		constant->value = value;
		constant->error = error;
		return;
	}
	copy = arena_strdup(db->arena, name);
	if (copy && ARENA_GROW(db->arena, db->constants, db->nr_constants, db->room_constants))
		db->constants[db->nr_constants++] = (struct database_constant){ copy, value, error,
										rung };
}

void database_constant(struct database *db, const char *name, double value)
{
	set_constant(db, name, value, 0, MS_RUNG_COUNTED);
}

void database_timed_constant(struct database *db, const char *name, double value, double error)
{
	set_constant(db, name, value, error, MS_RUNG_TIMED);
}

void database_modelled_constant(struct database *db, const char *name, double value)
{
	set_constant(db, name, value, 0, MS_RUNG_SIMULATED);
}

struct ms_reading database_constant_reading(const struct database *db, const char *name)
{
	const struct database_constant *constant = constant_find(db, name);
	struct ms_reading reading = { .rung = MS_RUNG_COUNTED, .missing = MS_PRESENT };

	if (constant)
		reading = (struct ms_reading){ .value = constant->value,
					       .error = constant->error,
					       .rung = constant->rung,
					       .missing = MS_PRESENT };
	else if (!strcmp(name, "phase_executions"))
		reading.value = (double)db->executions;
	else
		reading = (struct ms_reading){ .missing = MS_MISSING_NOT_SUPPORTED };
	return reading;
}
