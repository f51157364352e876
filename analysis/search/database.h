/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_DATABASE_H
#define MEMSEARCH_SEARCH_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/host.h"
#include "memsearch/measurement.h"
#include "memsearch/request.h"
#include "memsearch/status.h"

/*
 * Periscope's performance database: all measurements, by region, thread and metric, over the phase
 * executions in which they were requested. Experiments measure different metrics in different
 * executions; to be comparable, every value is scaled to one mean execution of the phase. All
 * values are cumulative: from the first observation until now (Hollingsworth & Miller 1993, 3.4).
 *
 *  - Times, and clock samples, which stand for time: sum * mean phase wall time / wall time under
 *    observation. So it is a share of the executions in which it was measured, which last longer
 *    for being measured.
 *  - Counts: sum / executions under observation. The work does not depend on the time; scaling by
 *    time would make counts too low by the measuring overhead.
 *
 * Where executions differ in their work, both are right as far as those under observation are
 * typical.
 *
 * For confidence each value is also kept in DATABASE_BATCHES batches, to which the executions under
 * observation (or groups of short ones) go in turn; a property evaluated over each batch gives the
 * spread.
 *
 *     region ──▶ column[metric] {when it was observed} ──▶ cells, one a thread
 *
 * One cell takes 64 bytes, its place in the column about one more. Allocates from the arena only.
 * Not thread-safe: one thread at a time.
 */
struct arena;
struct database;

#define DATABASE_BATCHES 4
#define DATABASE_ALL_BATCHES (-1)
#define DATABASE_WITHOUT(batch) (-2 - (batch)) /* all but that one */

static inline bool database_in(int batches, uint32_t batch)
{
	return batches >= 0 ? batches == (int)batch : batches != DATABASE_WITHOUT((int)batch);
}

/* Measured in nanoseconds, or in ticks of a clock: scaled as times. */
bool database_is_time(uint32_t metric);

struct database *database_new(struct arena *arena); /* NULL: no memory */

/* Regions must come in order of their id. Again with the same id: updates kind, parent and key. */
enum ms_status database_region(struct database *db, const struct ms_region_info *region);
uint32_t database_regions(const struct database *db);
bool database_region_info(const struct database *db, uint32_t region, struct ms_region_info *out);
/* Writes at most `room`, returns how many there are. */
size_t database_children(const struct database *db, uint32_t region, struct ms_region_info *out,
			 size_t room);

uint32_t database_first_child(const struct database *db, uint32_t region);  /* MS_REGION_NONE */
uint32_t database_next_sibling(const struct database *db, uint32_t region); /* MS_REGION_NONE */
/*
 * The region after `region` in a depth-first walk over `root` and everything below it;
 * MS_REGION_NONE at the end.
 */
uint32_t database_walk(const struct database *db, uint32_t root, uint32_t region);

/* Number of regions with a row since the last clear. */
uint32_t database_regions_executed(const struct database *db);
/*
 * The region has no row, although metrics of every execution of it were requested in this number of
 * executions (or groups).
 */
bool database_region_is_absent(const struct database *db, uint32_t region, uint64_t groups);

/*
 * From the next set of requests on, constructs inside of the region are not measured, because that costs
 * too much: only their recorded accesses are. Their values stay as they are, and what has none is
 * MS_MISSING_DROPPED. Waits at the region's end stay, too, if it has tasks, which are executed there; and
 * values of locks, if it takes any.
 */
void database_drop(struct database *db, uint32_t region); /* until database_clear */
bool database_drops(const struct database *db, uint32_t region);
/* Whether the metric of a region is not measured for that reason. */
bool database_is_dropped(const struct database *db, uint32_t region, uint32_t metric);

/*
 * One execution of the phase (or, while no phase is known, one stretch of the program): begin, any
 * number of rows, end. Very short executions come in groups: the rows are the sums over
 * `executions` of them, which took `wall_ns` together. Only rows that a request of the current set
 * asks for count; what is requested but does not appear was not executed. The set is replaced
 * between executions, at a cost of O(columns it asks for). A request with MS_REQUEST_SUBREGIONS
 * holds for regions that appear later, too. All requests of a metric for subregions should name the
 * same kinds: what is known of "all below" does not tell kinds apart.
 */
void database_requests(struct database *db, const struct ms_request *requests, size_t nr);
void database_execution_begin(struct database *db);
/* MS_ERR_NOT_FOUND: no such region */
enum ms_status database_add(struct database *db, const struct ms_measurement *row);
void database_execution_end(struct database *db, double wall_ns, uint64_t executions);
/*
 * The recent window: values since the last mark can be read separately, so that a change of the
 * program's behaviour is not lost in the mean. Takes up to 64 MiB of memory; beyond, columns have
 * no recent values. database_since: executions before the mark; 0: there is none.
 */
void database_mark(struct database *db);
uint64_t database_since(const struct database *db);
/*
 * Forget all values (another phase was found, so that old shares mean nothing); regions and
 * requests stay.
 */
void database_clear(struct database *db);
/*
 * Forget what one metric has given so far, because some of it was wrong; what it gives from now on
 * counts.
 */
void database_forget(struct database *db, uint32_t metric);

/*
 * From now on the value cannot be had, even if some came in; region MS_REGION_NONE: everywhere.
 * MS_PRESENT takes it back.
 */
void database_missing(struct database *db, uint32_t region, uint32_t metric, enum ms_missing why);
/* MS_PRESENT: not marked */
enum ms_missing database_missing_why(const struct database *db, uint32_t region, uint32_t metric);
/*
 * Whether regions of the kind have values of the metric of their own. Natural loops and functions
 * that are called in a construct have those of recorded accesses, functions also samples: in them no
 * clock runs, and lines are marked for the construct. Functions below call sites are measured
 * themselves.
 */
bool database_tells(const struct database *db, enum ms_region_kind kind, uint32_t metric);
void database_constant(struct database *db, const char *name, double value);
/* One that was timed: the 95 % interval is value - error to value + error. */
void database_timed_constant(struct database *db, const char *name, double value, double error);
/* Of a modelled machine: what is found by it is a finding about that one. */
void database_modelled_constant(struct database *db, const char *name, double value);
/*
 * Accesses from one address sample to the next: by it the error of what is estimated from them is
 * known.
 */
void database_sample_period(struct database *db, double accesses);

#endif
