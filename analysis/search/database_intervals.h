/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_DATABASE_INTERVALS_H
#define MEMSEARCH_SEARCH_DATABASE_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/search/database_changes.h"
#include "memsearch/host.h"
#include "memsearch/status.h"

/*
 * Intervals of a performance database (memsearch/interval.h). Each one has a database of its own: a
 * copy that gets the rows of the executions inside, and no others. So its values are cumulative from
 * the interval's begin on, and stay as they are at its end (Hollingsworth and Miller 1993, 3.4).
 *
 *     rows of an execution ──▶ kept until its end ──▶ the database of each interval it belongs to
 *
 * Only whole executions belong to an interval. Without intervals nothing is kept. Rows of an
 * execution are stored once more for each interval that it belongs to.
 */
struct database;

/* Ids come in order, from 1. MS_ERR_INVALID: another one, or MS_INTERVALS_MOST. MS_ERR_MEMORY */
enum ms_status database_interval(struct database *db, const struct database_interval *interval);
/* Their number, with MS_INTERVAL_WHOLE: all ids are below. */
uint32_t database_intervals(const struct database *db);
/* Name of the interval, "" for MS_INTERVAL_WHOLE and unknown ones. */
const char *database_interval_name(const struct database *db, uint32_t interval);
/* False: there is none; MS_INTERVAL_WHOLE is none. */
bool database_interval_info(const struct database *db, uint32_t interval,
			    struct ms_interval_info *out);
/*
 * Numbers of the first and last execution inside, from 1 (0: there is none), and the wall time of
 * all of them.
 */
struct database_interval_extent {
	uint64_t first, last;
	double wall_ns;
};
struct database_interval_extent database_interval_extent(const struct database *db,
							 uint32_t interval);
/*
 * To be called before database_execution_end: the intervals that the ending execution belongs to,
 * and those that are open from now on, as bits 1 << id. Without, an execution belongs to those that
 * were open.
 */
void database_intervals_set(struct database *db, uint64_t in, uint64_t open);
/* The run is over: intervals keep their values, whatever becomes of those of the database. */
void database_intervals_keep(struct database *db);
uint64_t database_intervals_open(const struct database *db);
/* The values of an interval. MS_INTERVAL_WHOLE: `db`. NULL: there is no such interval. */
const struct database *database_during(const struct database *db, uint32_t interval);

#endif
