/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_DATABASE_READING_H
#define MEMSEARCH_SEARCH_DATABASE_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/properties/evaluation.h"
#include "analysis/search/database.h"

/* Values of the performance database, which database.h fills. One thread at a time, likewise. */
uint64_t database_executions(const struct database *db);
/* in which anything was requested */
uint64_t database_executions_read(const struct database *db);
uint64_t database_groups(const struct database *db);
double database_phase_ns(const struct database *db); /* mean wall time of one execution */
/*
 * For how long a metric of a region was requested for all threads: wall time, phase executions and
 * groups of these.
 */
struct database_observed {
	double ns;
	uint64_t executions, groups;
	uint64_t groups_before; /* the first one in which it was; of all where it never was */
};
enum database_look_flags {
	DATABASE_BELOW = 1 << 0,  /* so long in all its subregions, too */
	DATABASE_RECENT = 1 << 1, /* since database_mark only */
};
struct database_observed database_observed_at(const struct database *db, uint32_t region,
					      uint32_t metric, unsigned int look);
double database_observed_ns(const struct database *db, uint32_t region, uint32_t metric);
uint64_t database_observed(const struct database *db, uint32_t region, uint32_t metric);
/* in all its subregions, too */
uint64_t database_observed_below(const struct database *db, uint32_t region, uint32_t metric);

/*
 * The value for one mean execution of the phase, or why there is none. In this order: marked as
 * missing; never requested; the region was not seen while it was requested; the value. No row
 * although the region was executed by that thread is a true 0 of an additive metric, because only
 * what changed is reported (a region without major faults sends no row for them); a thread that was
 * never seen in the region has no value.
 *
 * Not so counters and recorded accesses (ms_metric_sends_zero): they send a row for each reading,
 * also for 0. A missing row where the thread executed the region (by its row of time) is a failed
 * reading: MS_MISSING_UNCOVERED if all are missing; if some are, the value is the mean of the
 * others, times all executions. Region 0 is a sum over regions: there only a thread without any row
 * is noticed.
 *
 * A gauge has its latest value, and one that lasts (MS_METRIC_NODE) the value it had in nine of ten
 * executions or groups of these, by a conservative count; otherwise it is MS_MISSING_MOVED, and
 * database_each visits a row whose min and max differ.
 *
 * `error`: Student's t over the batches; of sampled metrics at least Poisson's. 0 with one batch
 * only: the value of that execution is exact, but may not be typical.
 */
struct ms_reading database_reading(const struct database *db, int batch, uint32_t region,
				   uint32_t thread, uint32_t metric);
/* Threads seen in the region, ascending; at most `room`, returns how many there are. */
size_t database_threads(const struct database *db, uint32_t region, uint32_t *out, size_t room);

/*
 * A context for property_evaluate over all values or over one batch; `storage` must outlive it.
 * Constants: those of database_constant, and phase_executions unless it was set.
 */
struct database_view {
	const struct database *db;
	int batch;
	struct property_totals totals; /* the last that were asked for and are not kept */
	/* of the executions since database_mark; set it after database_context */
	bool recent;
};
struct property_context database_context(struct database_view *storage, const struct database *db,
					 int batch, uint32_t region);

/* Every cell in turn, for the record: by region, metric, thread. */
void database_each(const struct database *db,
		   void (*visit)(void *ctx, const struct ms_measurement *row, uint64_t phases,
				 double observed_ns),
		   void *ctx);

/*
 * Before a walk over every cell: how many there are at most, and the longest that one was under
 * observation.
 */
struct database_extent {
	size_t rows;
	double observed_ns;
};
struct database_extent database_extent(const struct database *db);

/*
 * How much was and could be measured, for accounting.h: (region, thread, metric) triples and their
 * values.
 */
struct database_volume {
	uint64_t counters_possible, counters_used, samples_possible, samples_used;
};
void database_volume(const struct database *db, struct database_volume *out);

#endif
