/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_DATABASE_PRIVATE_H
#define MEMSEARCH_SEARCH_DATABASE_PRIVATE_H

#include "analysis/search/column.h"
#include "analysis/search/database.h"
#include "analysis/search/database_changes.h"
#include "analysis/search/team.h"

/* The inside of the performance database, for database*.c and column.c only. */
struct executions {
	uint64_t version;
	struct ms_reading value;
};

struct database_region {
	struct ms_region_info info;
	bool dropped; /* constructs inside are, see database_drop */
	uint32_t first_child, last_child, next_sibling;
	uint64_t seen;                 /* 1 + the last group with a row of it */
	struct executions *executions; /* kept as `struct totals` are */
	struct team team;
	/* by metric / MS_METRIC_BLOCK; NULL: of none of the block was ever asked */
	struct column **columns[MS_METRIC_BLOCKS];
};

/* `metric` below MS_METRICS; NULL: never asked for. */
static inline struct column *region_column(const struct database_region *region, size_t metric)
{
	struct column *const *block = region->columns[metric / MS_METRIC_BLOCK];

	return block ? block[metric % MS_METRIC_BLOCK] : NULL;
}

struct database_constant {
	const char *name;
	double value, error;
	enum ms_rung rung;
};

struct column_list {
	struct column **items;
	size_t nr, room;
};

struct request_list {
	struct ms_request *items;
	size_t nr, room;
};

struct database_intervals;

struct database {
	struct arena *arena;
	struct property_workspace *workspace; /* of database_context */
	struct database_region *regions;
	size_t nr_regions, room_regions;
	bool has_called; /* functions below call sites, which are measured themselves */
	bool has_dropped, locks_dropped;
	struct database_constant *constants;
	size_t nr_constants, room_constants;
	enum ms_missing missing[MS_METRICS]; /* everywhere */
	uint32_t regions_executed;           /* with a row */
	uint64_t executions;                 /* ended */
	uint64_t executions_read;            /* of these, with a request */
	double wall_ns;                      /* of these */
	/* of these, by the number of their group modulo DATABASE_BATCHES */
	struct observation total;
	size_t mark_cells; /* allocated for the begin of windows */
	/* number of the recent window, 0: none; executions before it */
	uint64_t window, since;
	uint32_t generation;  /* of the request set */
	uint64_t version;     /* rises whenever a value or an observation changes */
	bool counting;        /* the current set asks for counters */
	double sample_period; /* of address samples; 0: unknown */
	/* columns the current set names; memory of the one before */
	struct column_list listed, spare;
	struct request_list asked;            /* the current set */
	struct database_intervals *intervals; /* NULL: none */
	database_follower *follower;          /* NULL: none */
	void *follower_ctx;
};

/* database_intervals.c: what intervals there are, as changes; and a change of the database. */
void database_intervals_describe(const struct database *db, database_follower *follower, void *ctx);
void database_intervals_follow(struct database *db, const struct database_change *change);

static inline void database_tell(struct database *db, const struct database_change *change)
{
	if (db->intervals)
		database_intervals_follow(db, change);
	if (db->follower)
		db->follower(db->follower_ctx, change);
}

/* False: its name is too long for a change. */
bool database_change_constant(struct database_change *out,
			      const struct database_constant *constant);

struct ms_reading database_constant_reading(const struct database *db, const char *name);

#endif
