/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals of the performance database: which executions are inside, and their values. */
#include "analysis/search/database_intervals.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/search/database.h"
#include "analysis/search/database_private.h"
#include "analysis/search/database_reading.h"

struct interval {
	struct database_interval is;
	struct database_copy copy; /* its values */
	uint64_t first, last;      /* execution of the database, from 1; 0: none */
};

struct database_intervals {
	struct arena *arena;
	struct interval items[MS_INTERVALS_MOST];
	uint32_t nr;
	uint64_t in, open; /* bits 1 << id */
	bool kept;         /* nothing changes any more */
	/* executions that belong to both; on the diagonal: to the interval */
	uint64_t together[MS_INTERVALS_MOST][MS_INTERVALS_MOST];
	struct ms_measurement *rows; /* of the execution that has not ended */
	size_t nr_rows, room_rows;
};

static struct interval *interval_at(const struct database *db, uint32_t interval)
{
	return db->intervals && interval && interval < db->intervals->nr
		       ? &db->intervals->items[interval]
		       : NULL;
}

static bool is_bit(uint64_t bits, uint32_t interval)
{
	return bits >> interval & 1;
}

/* ------------------------------------------------------------------ what is known of them */

uint32_t database_intervals(const struct database *db)
{
	return db->intervals ? db->intervals->nr : 1;
}

uint64_t database_intervals_open(const struct database *db)
{
	return db->intervals ? db->intervals->open : 0;
}

const char *database_interval_name(const struct database *db, uint32_t interval)
{
	const struct interval *at = interval_at(db, interval);

	return at ? at->is.name : "";
}

const struct database *database_during(const struct database *db, uint32_t interval)
{
	const struct interval *at = interval_at(db, interval);

	return interval == MS_INTERVAL_WHOLE ? db : at ? at->copy.db : NULL;
}

/* All executions of `inner` are in `outer`; of two equal ones the first contains the other. */
static bool contains(const struct database_intervals *intervals, uint32_t outer, uint32_t inner)
{
	uint64_t executions = intervals->together[inner][inner];

	return outer != inner && executions && intervals->together[inner][outer] == executions &&
	       (intervals->together[outer][outer] > executions || outer < inner);
}

static bool is_nearest(const struct database_intervals *intervals, uint32_t outer, uint32_t inner)
{
	if (!contains(intervals, outer, inner))
		return false;
	for (uint32_t between = 1; between < intervals->nr; between++)
		if (contains(intervals, between, inner) && contains(intervals, outer, between))
			return false;
	return true;
}

static uint64_t parents_of(const struct database_intervals *intervals, uint32_t interval)
{
	uint64_t parents = 0;

	for (uint32_t other = 1; other < intervals->nr; other++)
		if (is_nearest(intervals, other, interval))
			parents |= 1ull << other;
	return parents ? parents : 1ull << MS_INTERVAL_WHOLE;
}

bool database_interval_info(const struct database *db, uint32_t interval,
			    struct ms_interval_info *out)
{
	const struct interval *at = interval_at(db, interval);

	if (!at)
		return false;
	*out = (struct ms_interval_info){
		.id = interval,
		.kind = (enum ms_interval_kind)at->is.kind,
		.open = is_bit(db->intervals->open, interval),
		.executions = db->intervals->together[interval][interval],
		.parents = parents_of(db->intervals, interval),
	};
	return true;
}

struct database_interval_extent database_interval_extent(const struct database *db,
							 uint32_t interval)
{
	const struct interval *at = interval_at(db, interval);

	return at ? (struct database_interval_extent){ at->first, at->last, at->copy.db->wall_ns }
		  : (struct database_interval_extent){ 0 };
}

/* ------------------------------------------------------------------ declaring */

/* An interval has fewer executions than the phase: its database counts its own. */
static bool is_of_whole(const struct database_change *change)
{
	return change->kind == DATABASE_CONSTANT &&
	       !strcmp(change->of.constant.name, "phase_executions");
}

/* Intervals have none of their own. */
static void change_copy(void *ctx, const struct database_change *change)
{
	if (change->kind != DATABASE_INTERVAL && change->kind != DATABASE_INTERVALS &&
	    !is_of_whole(change))
		database_copy_change(ctx, change);
}

static bool intervals_make(struct database *db)
{
	if (db->intervals)
		return true;
	db->intervals = arena_alloc(db->arena, sizeof(*db->intervals));
	if (!db->intervals)
		return false;
	db->intervals->arena = db->arena;
	db->intervals->nr = 1;
	return true;
}

/* What was requested before the interval was known is measured in it, too. */
static void request_again(struct database *db, struct database_copy *copy)
{
	database_requests(copy->db, db->asked.items, db->asked.nr);
}

enum ms_status database_interval(struct database *db, const struct database_interval *interval)
{
	struct interval *at;

	if (interval->id != database_intervals(db) || interval->id >= MS_INTERVALS_MOST ||
	    interval->kind >= MS_INTERVAL_KINDS ||
	    !memchr(interval->name, 0, sizeof(interval->name)))
		return MS_ERR_INVALID;
	if (!intervals_make(db))
		return MS_ERR_MEMORY;
	at = &db->intervals->items[interval->id];
	at->is = *interval;
	at->copy = (struct database_copy){ .db = database_new(db->arena), .arena = db->arena };
	if (!at->copy.db)
		return MS_ERR_MEMORY;
	database_describe(db, change_copy, &at->copy);
	request_again(db, &at->copy);
	db->intervals->nr++;
	database_tell(db, &(struct database_change){ .kind = DATABASE_INTERVAL,
						     .of.interval = *interval });
	return MS_OK;
}

void database_intervals_set(struct database *db, uint64_t in, uint64_t open)
{
	uint64_t known = (1ull << database_intervals(db)) - 2;

	if (!db->intervals)
		return;
	db->intervals->in = in & known;
	db->intervals->open = open & known;
	database_tell(db,
		      &(struct database_change){ .kind = DATABASE_INTERVALS,
						 .of.intervals = { in & known, open & known } });
}

void database_intervals_keep(struct database *db)
{
	if (db->intervals)
		db->intervals->kept = true;
}

/* ------------------------------------------------------------------ following the database */

static void keep_row(struct database_intervals *intervals, const struct ms_measurement *row)
{
	if (ARENA_GROW(intervals->arena, intervals->rows, intervals->nr_rows, intervals->room_rows))
		intervals->rows[intervals->nr_rows++] = *row;
}

static void count_execution(struct database_intervals *intervals, uint64_t executions)
{
	for (uint32_t i = 1; i < intervals->nr; i++)
		for (uint32_t j = 1; j < intervals->nr; j++)
			if (is_bit(intervals->in, i) && is_bit(intervals->in, j))
				intervals->together[i][j] += executions;
}

/* `after`: number of the last execution. */
static void note_extent(struct interval *interval, uint64_t after, uint64_t executions)
{
	if (!interval->first)
		interval->first = after - executions + 1;
	interval->last = after;
}

static void end_execution(const struct database *db, const struct database_change *change)
{
	struct database_intervals *intervals = db->intervals;

	for (uint32_t id = 1; id < intervals->nr; id++) {
		if (!is_bit(intervals->in, id))
			continue;
		for (size_t i = 0; i < intervals->nr_rows; i++)
			database_add(intervals->items[id].copy.db, &intervals->rows[i]);
		database_copy_change(&intervals->items[id].copy, change);
		note_extent(&intervals->items[id], db->executions, change->of.execution.executions);
	}
	count_execution(intervals, change->of.execution.executions);
	intervals->nr_rows = 0;
	intervals->in = intervals->open;
}

void database_intervals_follow(struct database *db, const struct database_change *change)
{
	struct database_intervals *intervals = db->intervals;

	if (intervals->kept)
		return;
	switch (change->kind) {
	case DATABASE_INTERVAL:
	case DATABASE_INTERVALS: return;
	case DATABASE_ROW: keep_row(intervals, &change->of.row); return;
	case DATABASE_EXECUTION: end_execution(db, change); return;
	case DATABASE_CLEAR:
		memset(intervals->together, 0, sizeof(intervals->together));
		for (uint32_t id = 1; id < intervals->nr; id++)
			intervals->items[id].first = intervals->items[id].last = 0;
		intervals->nr_rows = 0;
		break;
	default: break;
	}
	for (uint32_t id = 1; id < intervals->nr; id++)
		change_copy(&intervals->items[id].copy, change);
}

void database_intervals_describe(const struct database *db, database_follower *follower, void *ctx)
{
	const struct database_intervals *intervals = db->intervals;

	for (uint32_t id = 1; id < database_intervals(db); id++)
		follower(ctx, &(struct database_change){ .kind = DATABASE_INTERVAL,
							 .of.interval = intervals->items[id].is });
	if (intervals)
		follower(ctx, &(struct database_change){
				      .kind = DATABASE_INTERVALS,
				      .of.intervals = { intervals->in, intervals->open } });
}
