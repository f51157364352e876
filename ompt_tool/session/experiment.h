/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_EXPERIMENT_H
#define MEMSEARCH_SESSION_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/search/database.h"
#include "analysis/search/engine.h"
#include "memsearch/request.h"

/*
 * One execution of the phase under measurement: passes the requests to the sensors, folds the
 * threads' summaries at its end, and adds the rows to a database. Does not depend on where phases
 * begin (online.c) or on the search (analysis/search).
 *
 * Everything here runs on one thread at a time, at phase boundaries or at the end.
 */
struct arena;
struct experiment;
struct inventory;
struct run;
struct segment;

/*
 * `segment` is shared with the callbacks and outlives the experiment; modules that new regions lie
 * in are added to `run`; `inventory` says who touched first what accesses are to. Sensors have
 * begun (sensors.h). NULL: no memory.
 */
struct experiment *experiment_new(struct arena *arena, struct segment *segment, struct run *run,
				  const struct inventory *inventory);

/* What is measured from now on; replaces what was. nr 0: nothing. */
void experiment_request(struct experiment *experiment, const struct ms_request *requests,
			size_t nr);
/*
 * Folds and forgets what has come since the last fold: it belongs to no execution. Where that is
 * inside a parallel region, threads but the initial one tell later what they have measured of it
 * so far; `keep_open`: that is not forgotten, because most of it belongs to the last execution.
 */
void experiment_skip(struct experiment *experiment, bool keep_open);
/*
 * What the tool took since the last fold, in ns that the program lost: it is left out of the next
 * execution.
 */
double experiment_between_ns(struct experiment *experiment);

/*
 * Ends an execution, or a group of `executions` short ones, that lasted `wall_ns`: folds everything
 * since the last fold into `db`, including the rows of region 0: wall_time, tool_time and the sums
 * of the sensors' metrics over parallel regions and serial stretches. What it cost goes to
 * *cost_out.
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
 * Inside a parallel region threads begin late with what is newly asked for, and tell it late; and a
 * region that begins the phase has begun as a clone, or not, before it is known what is asked for.
 * When true, the execution under way is to be left out, with experiment_settle: only what it cost
 * counts.
 */
bool experiment_settling(const struct experiment *experiment);
void experiment_settle(struct experiment *experiment, double wall_ns, uint64_t executions,
		       struct engine_cost *cost_out);

/* Regions met so far → the database. */
void experiment_regions(struct experiment *experiment, struct database *db);

/* most threads that took part in one execution */
uint32_t experiment_threads(const struct experiment *experiment);
/* A sensor is asked for that is measured alone. */
bool experiment_is_alone(const struct experiment *experiment);
double experiment_fold_ns(const struct experiment *experiment); /* what the last fold took */
/* that the program lost so far by callbacks (estimated) and boundaries, of all threads */
double experiment_lost_ns(const struct experiment *experiment);
/* of all threads so far, in callbacks (estimated) and boundaries */
double experiment_tool_cpu_ns(const struct experiment *experiment);

#endif
