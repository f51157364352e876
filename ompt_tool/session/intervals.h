/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_INTERVALS_H
#define MEMSEARCH_SESSION_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/measurement.h"

/*
 * Where intervals of the run begin and end: marks of the program (omp_control_tool 66 and 67), the
 * first execution of a function, and a metric above a threshold (analysis/options/triggers.h). All
 * searches have the same intervals. Not here: what is measured in them
 * (analysis/search/database_intervals.h).
 *
 * An execution of the phase belongs to an interval that was open for at least half of it. All of this
 * runs on the initial thread.
 */
struct arena;
struct database;
struct engine_config;
struct region;
struct run;

/* Declares the intervals of --interval in the databases of all searches; keeps these. */
void intervals_start(struct arena *arena, struct database *const *dbs, size_t nr_dbs,
		     const char *list);
/* Before a search is made: metrics of triggers are measured in every execution. */
void intervals_configure(const char *list, struct engine_config *config);
/* Interval `number` begins or ends here, in the execution that began at begin_ns. */
void intervals_mark(bool begin, int number, uint64_t begin_ns, uint64_t now_ns);
/* The execution that began at begin_ns ends: to be called before its rows are added. */
void intervals_end(uint64_t begin_ns, uint64_t now_ns);
/* A region executed for the first time; its module is in `run`. */
void intervals_region(const struct run *run, const struct region *region);
/*
 * Before database_execution_end, after the rows: `sum` returns a metric's sum of region 0 in the
 * ending executions.
 */
void intervals_apply(struct database *db, uint64_t executions,
		     double (*sum)(void *ctx, uint32_t metric), void *ctx);

#endif
