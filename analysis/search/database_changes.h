/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_DATABASE_CHANGES_H
#define MEMSEARCH_SEARCH_DATABASE_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/host.h"
#include "memsearch/measurement.h"
#include "memsearch/request.h"
#include "memsearch/status.h"

/*
 * All that fills a performance database (database.h), as values without pointers: another process
 * makes the same changes to a database of its own (agent/exchange.h). Not here: database_mark, which
 * is the reader's.
 */
struct arena;
struct database;

enum database_change_kind {
	DATABASE_REGION,
	DATABASE_REQUEST,  /* one of a set … */
	DATABASE_REQUESTS, /* … which is complete */
	DATABASE_ROW,
	DATABASE_EXECUTION, /* its end */
	DATABASE_CLEAR,
	DATABASE_FORGET,
	DATABASE_MISSING,
	DATABASE_CONSTANT,
	DATABASE_SAMPLE_PERIOD,
	DATABASE_INTERVAL,  /* a new one */
	DATABASE_INTERVALS, /* those of this execution, and those that are open */
	DATABASE_DROP,      /* constructs in `region` */
	DATABASE_CHANGES
};

#define DATABASE_NAME_BYTES \
	48 /* of a constant or interval, with the final 0; longer ones do not change copies */

/* An interval as it is declared (database_intervals.h). */
struct database_interval {
	uint32_t id, kind; /* enum ms_interval_kind */
	char name[DATABASE_NAME_BYTES];
};

struct database_change {
	uint32_t kind;
	/* of DATABASE_FORGET and DATABASE_MISSING; `region`, `why`: of the latter */
	uint32_t metric, region, why;
	union {
		struct ms_region_info info;
		struct ms_request request;
		struct ms_measurement row;
		struct {
			double wall_ns;
			uint64_t executions;
		} execution;
		struct {
			char name[DATABASE_NAME_BYTES];
			double value, error;
			uint32_t rung; /* enum ms_rung */
		} constant;
		double sample_period;
		struct database_interval interval;
		struct {
			uint64_t in, open; /* bits 1 << id */
		} intervals;
	} of;
};

typedef void database_follower(void *ctx, const struct database_change *change);

/* From now on `follower` gets each change, on the thread that makes it. NULL: no longer. */
void database_follow(struct database *db, database_follower *follower, void *ctx);
/*
 * The regions, constants and missing metrics so far, as changes; not the values, which a reader of
 * executions from now on does not need, nor the requests.
 */
void database_describe(const struct database *db, database_follower *follower, void *ctx);

/* A database that makes the changes of another one. */
struct database_copy {
	struct database *db;
	struct arena *arena;
	struct ms_request *requests; /* of the set that is not complete yet */
	size_t nr_requests, room_requests;
};

/*
 * Every value is checked first. MS_ERR_INVALID: `change` is none that a database can make here; the
 * database stays as it is. MS_ERR_MEMORY
 */
enum ms_status database_copy_change(struct database_copy *copy,
				    const struct database_change *change);

#endif
