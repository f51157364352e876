/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_COLUMN_H
#define MEMSEARCH_SEARCH_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/properties/evaluation.h"
#include "analysis/search/observation.h"

/*
 * One metric of one region: when it was under observation, and a cell for each
 * thread. The inside of the database; its interface is database.h.
 */

struct cell {
	/* a gauge: sum[0] is the latest value, or the one that lasts, see cell_lasts */
	double sum[DATABASE_BATCHES];
	double sum_squares;
	/* executions of the region; stays at its largest value */
	uint32_t count[DATABASE_BATCHES];
	float min, max; /* of the whole run; for the record only */
};
_Static_assert(sizeof(struct cell) == 64,
	       "one cell per (region, thread, metric) is one cache line");

static inline bool cell_is_empty(const struct cell *cell)
{
	_Static_assert(DATABASE_BATCHES == 4, "looks at four batches");
	return !(cell->count[0] | cell->count[1] | cell->count[2] | cell->count[3]);
}

/*
 * Of a gauge that lasts count[0] is how often it had the value in sum[0], at least, and count[1]
 * how often another one. Is the first nine of ten or more?
 */
static inline bool cell_lasts(const struct cell *cell)
{
	return cell->count[0] / 9 >= cell->count[1];
}

/*
 * The total of a batch of a column over all threads, cached until a value or an observation
 * changes.
 */
struct totals {
	uint64_t version;
	struct property_totals of;
};

/*
 * The contents of a column when the recent window began: the window is the difference. Allocated
 * when needed.
 */
struct column_mark {
	/* of the database's window; a different one: no value since */
	uint64_t number;
	uint64_t executed;
	struct observation all, below; /* as they were, off */
	struct cell *cells;            /* by slot */
	size_t nr, room;
	uint64_t scale_version; /* as in the column */
	double scale[DATABASE_BATCHES + 1];
};

/* requested for one thread only */
struct thread_observation {
	struct thread_observation *next;
	uint32_t thread, stamp;
	struct observation seen;
};

/*
 * Executions of the region by slot: a counter should have as many readings, see database_reading.
 */
struct expected {
	uint64_t *executions;
	size_t nr, room;
};

struct column {
	uint32_t region, metric;
	uint32_t stamp, below_stamp, listed; /* generation of the request set that asked last */
	uint32_t below_kinds;                /* of subregions asked for; 0: all */
	enum ms_missing missing;
	/* executions under observation in which the region was seen */
	uint64_t executed;
	/* most of the counts of a cell, by batch and [DATABASE_BATCHES] in all; gauges have none */
	uint32_t most[DATABASE_BATCHES + 1];
	/* for all threads; and in all subregions of below_kinds */
	struct observation all, below;
	struct thread_observation *threads;
	uint64_t scale_version; /* of the database, when `scale` was computed */
	/*
	 * sum → value of a mean execution, by batch and [DATABASE_BATCHES] in all; < 0: not
	 * observed
	 */
	double scale[DATABASE_BATCHES + 1];
	/* NULL: never under observation in a recent window */
	struct column_mark *mark;
	struct expected *expected; /* NULL: of no counter, or nothing is known */
	/* of all, and one a batch; NULL: never asked for */
	struct totals *totals, *batch_totals;
	/* of 1, 1, 2, 4, 8, 16, 32, 32, 32 … cells: never moved, never more than twice the need */
	struct cell **blocks;
	size_t nr_blocks, room_blocks;
};

/* makes it; NULL: no memory */
struct column *column_get(struct database *db, uint32_t region, uint32_t metric);
/* the current set names it; false: no memory */
bool column_list(struct database *db, struct column *column);
void column_want_thread(struct database *db, struct column *column, uint32_t thread);
/* on or off, as the current set says */
void column_switch(struct database *db, struct column *column);
bool column_is_on(const struct column *column);
enum ms_status column_add(struct database *db, struct column *column,
			  const struct ms_measurement *row, uint32_t slot);
/* NULL: no value ever came */
const struct cell *column_cell(const struct column *column, uint32_t slot);
/* false: no memory */
bool column_expect(struct database *db, struct column *column, uint32_t slot, uint64_t executions);
void column_clear(struct column *column);
/* alone: as if its observation began now */
void column_forget(const struct database *db, struct column *column);
/* the recent window of this column begins now */
void column_mark(struct database *db, struct column *column);
/*
 * What it had at the begin of the window: that is less of its observation and cells; NULL: nothing
 * came since.
 */
const struct column_mark *column_marked(const struct database *db, const struct column *column);

#endif
