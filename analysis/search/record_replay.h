/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_RECORD_REPLAY_H
#define MEMSEARCH_SEARCH_RECORD_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"
#include "analysis/search/database.h"
#include "analysis/search/engine.h"
#include "analysis/search/monitor.h"
#include "memsearch/request.h"
#include "memsearch/status.h"

/*
 * A finished run in place of the program: answers the requests of a search with the run's
 * measurements (Hollingsworth & Miller 1993: "enable" and "disable" collection over a trace). The
 * engine is that of the run; this is its measuring side. Not here: the loop (monitored_search.h).
 *
 * Each execution of the phase is the run's mean execution, of which only what is requested is
 * delivered. So values do not scatter, and what begins late in the run counts for all of it.
 * Executions of less than RECORD_REPLAY_GROUP_NS come in groups, as in the program. Counters: as
 * many metrics at a time as the run could count.
 *
 * What the run did not measure is unknown, with the run's reason, or MS_MISSING_NOT_REQUESTED
 * without one. A metric counts as measured in a region if it has rows there or in a region around
 * it; metrics of the clock and of rusage, which send no row for 0, if any of their sensor has.
 */
struct arena;
struct record_replay;

#define RECORD_REPLAY_GROUP_NS 1e6

/* `run` must outlive it. MS_ERR_NOT_FOUND: the run has no measurements, or no time. */
enum ms_status record_replay_new(struct arena *arena, const struct run *run,
				 struct record_replay **out);
/* Of `replay`, which must outlive the engine: the run's counters are what it may request. */
extern const struct monitor record_replay_monitor;
/* Regions, and what is missing. MS_ERR_MEMORY */
enum ms_status record_replay_prepare(const struct record_replay *replay, struct database *db);
/* Of the next experiment; copied. MS_ERR_MEMORY: nothing is requested. */
enum ms_status record_replay_requests(struct record_replay *replay, struct database *db,
				      const struct ms_request *requests, size_t nr);
/* One execution or group of them: its number and time are set in the cost, nothing else. */
void record_replay_execution(const struct record_replay *replay, struct database *db,
			     struct engine_cost *cost_out);
/*
 * Counters that could have been requested: metrics of the run by region and thread, as
 * database_volume counts them. 0: no memory.
 */
uint64_t record_replay_counters(const struct record_replay *replay);
/*
 * Bytes of a trace of `executions` executions that keeps every value, a sample (accounting.h) each,
 * where the search has their sums: one for each execution of a region on a thread, by metric.
 */
double record_replay_trace_bytes(const struct record_replay *replay, uint64_t executions);

#endif
