/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the performance database: passed on, and made to a copy. */
#include "analysis/search/database_changes.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/search/column.h"
#include "analysis/search/database.h"
#include "analysis/search/database_intervals.h"
#include "analysis/search/database_private.h"

/* more than any program has in one execution or group: above, a double is not exact */
#define COUNT_MOST (1ull << 53)
/* of all metrics in all regions at most; the request table of a program has fewer */
#define REQUESTS_MOST (MS_REGION_MAX * 2u)

void database_follow(struct database *db, database_follower *follower, void *ctx)
{
	db->follower = follower;
	db->follower_ctx = ctx;
}

/* ------------------------------------------------------------------ what is there */

static void describe_missing(const struct database *db, uint32_t region,
			     database_follower *follower, void *ctx)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		const struct column *column = region_column(&db->regions[region], metric);
		struct database_change change = { .kind = DATABASE_MISSING,
						  .metric = metric,
						  .region = region };

		if (!column || column->missing == MS_PRESENT)
			continue;
		change.why = column->missing;
		follower(ctx, &change);
	}
}

static void describe_constant(const struct database_constant *constant, database_follower *follower,
			      void *ctx)
{
	struct database_change change;

	if (database_change_constant(&change, constant))
		follower(ctx, &change);
}

void database_describe(const struct database *db, database_follower *follower, void *ctx)
{
	struct database_change period = { .kind = DATABASE_SAMPLE_PERIOD,
					  .of.sample_period = db->sample_period };

	for (size_t id = 0; id < db->nr_regions; id++)
		follower(ctx, &(struct database_change){ .kind = DATABASE_REGION,
							 .of.info = db->regions[id].info });
	/* also those that are not missing: the copy may be of another database so far */
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		follower(ctx, &(struct database_change){ .kind = DATABASE_MISSING,
							 .metric = metric,
							 .region = MS_REGION_NONE,
							 .why = db->missing[metric] });
	for (size_t id = 0; id < db->nr_regions; id++)
		describe_missing(db, (uint32_t)id, follower, ctx);
	for (size_t id = 0; id < db->nr_regions; id++)
		if (db->regions[id].dropped)
			follower(ctx, &(struct database_change){ .kind = DATABASE_DROP,
								 .region = (uint32_t)id });
	for (size_t i = 0; i < db->nr_constants; i++)
		describe_constant(&db->constants[i], follower, ctx);
	follower(ctx, &period);
	database_intervals_describe(db, follower, ctx);
}

bool database_change_constant(struct database_change *out, const struct database_constant *constant)
{
	*out = (struct database_change){ .kind = DATABASE_CONSTANT };
	if (strlen(constant->name) >= sizeof(out->of.constant.name))
		return false;
	memcpy(out->of.constant.name, constant->name, strlen(constant->name));
	out->of.constant.value = constant->value;
	out->of.constant.error = constant->error;
	out->of.constant.rung = constant->rung;
	return true;
}

/* ------------------------------------------------------------------ a copy */

static bool is_stat(const struct ms_stat *stat)
{
	return stat->count && stat->count <= COUNT_MOST && isfinite(stat->sum) &&
	       isfinite(stat->min) && isfinite(stat->max) && stat->min <= stat->max &&
	       isfinite(stat->sum_squares);
}

static enum ms_status copy_row(struct database *db, const struct ms_measurement *row)
{
	enum ms_status status;

	if (!is_stat(&row->stat))
		return MS_ERR_INVALID;
	status = database_add(db, row);
	return status == MS_ERR_NOT_FOUND ? MS_ERR_INVALID : status;
}

static enum ms_status copy_request(struct database_copy *copy, const struct ms_request *request)
{
	if (request->metric >= MS_METRICS || request->region >= database_regions(copy->db) ||
	    copy->nr_requests == REQUESTS_MOST)
		return MS_ERR_INVALID;
	if (!ARENA_GROW(copy->arena, copy->requests, copy->nr_requests, copy->room_requests))
		return MS_ERR_MEMORY;
	copy->requests[copy->nr_requests++] = *request;
	return MS_OK;
}

static enum ms_status copy_requests(struct database_copy *copy)
{
	database_requests(copy->db, copy->requests, copy->nr_requests);
	copy->nr_requests = 0;
	return MS_OK;
}

static enum ms_status copy_execution(struct database *db, double wall_ns, uint64_t executions)
{
	if (!isfinite(wall_ns) || wall_ns < 0 || !executions || executions > COUNT_MOST)
		return MS_ERR_INVALID;
	database_execution_end(db, wall_ns, executions);
	return MS_OK;
}

static enum ms_status copy_missing(struct database *db, const struct database_change *change)
{
	if (change->metric >= MS_METRICS || change->why >= MS_MISSING_REASONS ||
	    (change->region != MS_REGION_NONE && change->region >= database_regions(db)))
		return MS_ERR_INVALID;
	database_missing(db, change->region, change->metric, (enum ms_missing)change->why);
	return MS_OK;
}

static enum ms_status copy_drop(struct database *db, uint32_t region)
{
	if (region >= database_regions(db))
		return MS_ERR_INVALID;
	database_drop(db, region);
	return MS_OK;
}

static enum ms_status copy_constant(struct database *db, const struct database_change *change)
{
	const char *name = change->of.constant.name;
	double value = change->of.constant.value, error = change->of.constant.error;

	if (!memchr(name, 0, sizeof(change->of.constant.name)) || !*name || !isfinite(value) ||
	    !isfinite(error) || error < 0)
		return MS_ERR_INVALID;
	switch (change->of.constant.rung) {
	case MS_RUNG_COUNTED: database_constant(db, name, value); return MS_OK;
	case MS_RUNG_TIMED: database_timed_constant(db, name, value, error); return MS_OK;
	case MS_RUNG_SIMULATED: database_modelled_constant(db, name, value); return MS_OK;
	default: return MS_ERR_INVALID;
	}
}

static enum ms_status copy_sample_period(struct database *db, double accesses)
{
	if (!isfinite(accesses) || accesses < 0)
		return MS_ERR_INVALID;
	database_sample_period(db, accesses);
	return MS_OK;
}

enum ms_status database_copy_change(struct database_copy *copy,
				    const struct database_change *change)
{
	struct database *db = copy->db;

	switch (change->kind) {
	case DATABASE_REGION:
		return change->of.info.id < MS_REGION_MAX ? database_region(db, &change->of.info)
							  : MS_ERR_INVALID;
	case DATABASE_REQUEST: return copy_request(copy, &change->of.request);
	case DATABASE_REQUESTS: return copy_requests(copy);
	case DATABASE_ROW: return copy_row(db, &change->of.row);
	case DATABASE_EXECUTION:
		return copy_execution(db, change->of.execution.wall_ns,
				      change->of.execution.executions);
	case DATABASE_CLEAR: database_clear(db); return MS_OK;
	case DATABASE_FORGET: database_forget(db, change->metric); return MS_OK;
	case DATABASE_MISSING: return copy_missing(db, change);
	case DATABASE_DROP: return copy_drop(db, change->region);
	case DATABASE_CONSTANT: return copy_constant(db, change);
	case DATABASE_SAMPLE_PERIOD: return copy_sample_period(db, change->of.sample_period);
	case DATABASE_INTERVAL: return database_interval(db, &change->of.interval);
	case DATABASE_INTERVALS:
		database_intervals_set(db, change->of.intervals.in, change->of.intervals.open);
		return MS_OK;
	default: return MS_ERR_INVALID;
	}
}
