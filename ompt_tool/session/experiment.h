/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_EXPERIMENT_H
#define MEMSEARCH_SESSION_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/search/database.h"
#include "analysis/search/engine.h"
#include "memsearch/request.h"

/*
 * Measures one execution of the phase: passes the requests to the sensors, folds the threads'
 * summaries at its end, and adds the rows to a database. Does not depend on where phases begin
 * (online.c) or on the search (analysis/search).
 *
 * Everything here runs on one thread at a time, at phase boundaries or at the end.
 */
struct arena;
struct experiment;
struct inventory;
struct run;
struct segment;

/*
 * `segment` is shared with the callbacks and outlives the experiment; modules of new regions are
 * added to `run`; `inventory` provides the first touches of accessed arrays. Sensors have begun
 * (sensors.h). NULL: no memory.
 */
struct experiment *experiment_new(struct arena *arena, struct segment *segment, struct run *run,
				  const struct inventory *inventory);

/*
 * Executions go to several databases, by the number of threads that take part in them: threads that
 * do not have no values, and all executions of a database have the same number.
 */
void experiment_by_threads(struct experiment *experiment);

/* Replaces the requests: they are measured from now on. nr 0: nothing. */
void experiment_request(struct experiment *experiment, const struct ms_request *requests,
			size_t nr);
/*
 * Folds and discards the values since the last fold, which belong to no execution. If the boundary
 * is inside a parallel region, all threads except the initial one report their values of the region
 * later; `keep_open`: these are not discarded, because most of them belong to the last execution.
 */
void experiment_skip(struct experiment *experiment, bool keep_open);
/*
 * Time in ns that the program lost to the tool since the last fold: it is excluded from the next
 * execution.
 */
double experiment_between_ns(struct experiment *experiment);

/*
 * Ends an execution, or a group of `executions` short ones, that lasted `wall_ns`: folds everything
 * since the last fold into `db`, including the rows of region 0: wall_time, tool_time and the sums
 * of the sensors' metrics over parallel regions and serial stretches. *cost_out: its cost.
 */
void experiment_execution(struct experiment *experiment, struct database *db, double wall_ns,
			  uint64_t executions, struct engine_cost *cost_out);
/*
 * The same for a stretch of the program while no phase is known. phase_threads of a phase is the
 * mean over its executions by their wall time, so that phase_threads * wall_time is its
 * thread-time; stretches together are one execution, and serial ones do not make its team smaller.
 */
void experiment_stretch(struct experiment *experiment, struct database *db, double wall_ns,
			struct engine_cost *cost_out);
/* Another phase was found: skips, forgetting everything, and counts threads anew. */
void experiment_restart(struct experiment *experiment);

/*
 * Whether the current execution must be discarded with experiment_settle, so that only its cost
 * counts: inside a parallel region threads apply new requests late, and report late; and a region
 * that begins the phase has begun as a clone, or not, before the requests are known.
 */
bool experiment_settling(const struct experiment *experiment);
/* `next`: the next one, too, if the boundary lies inside of a parallel region. */
void experiment_settle(struct experiment *experiment, double wall_ns, uint64_t executions,
		       bool next, struct engine_cost *cost_out);

/* Adds the regions so far to the database. */
void experiment_regions(struct experiment *experiment, struct database *db);

/* largest number of threads in one execution */
uint32_t experiment_threads(const struct experiment *experiment);
/* Number of threads that took part in a region between the last two folds. */
uint32_t experiment_joined(const struct experiment *experiment);
/* The last boundary lay inside a parallel region. */
bool experiment_is_inside(const struct experiment *experiment);
/* Whether a requested sensor is measured alone. */
bool experiment_is_alone(const struct experiment *experiment);
double experiment_fold_ns(const struct experiment *experiment); /* duration of the last fold */
/*
 * Time that the program lost to the hooks of its allocations in the last execution or stretch
 * (estimated): no part of its cost, to be charged apart.
 */
double experiment_heap_ns(const struct experiment *experiment);
/*
 * Time that the program lost so far by callbacks and allocations (estimated) and boundaries, of all
 * threads; the part of it by allocations.
 */
double experiment_lost_ns(const struct experiment *experiment);
double experiment_lost_to_heap_ns(const struct experiment *experiment);
/*
 * The tool's CPU time so far of all threads: in callbacks (estimated) and boundaries; and in hooks of
 * allocations (estimated).
 */
double experiment_tool_cpu_ns(const struct experiment *experiment);
double experiment_heap_cpu_ns(const struct experiment *experiment);

#endif
