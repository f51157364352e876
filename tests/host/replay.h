/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_HOST_REPLAY_H
#define MEMSEARCH_TESTS_HOST_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/search/engine.h"

/*
 * Replay: a search over recorded measurements instead of a running program (Hollingsworth & Miller
 * 1993: "enable" and "disable" collection over a trace). Each execution delivers only what was
 * requested for it, so that strategies and settings can be compared on the same data. For tests and
 * bench/, not inside a program.
 *
 * The text, one item a line, # begins a comment:
 *
 *     memsearch-experiment 1 constant NAME VALUE
 *     missing REGION|* METRIC REASON             a name of enum ms_missing
 *     counters NR [METRIC…]                      at most so many of these counters (none named: of
 *                                                all) fit together
 *     cost SENSOR NS                             tool time of one region event
 *     base NS                                    tool time of one execution whatever is requested
 *     noise FRACTION                             varies each value but gauges by up to this, the
 *                                                same in every replay
 *     execution WALL_NS [TIMES]                  what follows happens in each of TIMES executions
 *     region ID PARENT|- KIND [KEY]              met here; before the first execution: known from
 *                                                the start
 *     row REGION THREAD[-LAST] METRIC COUNT SUM
 */
struct arena;
struct replay;

/* NULL: cannot be read, one line with file, line and cause has been logged. */
struct replay *replay_read(struct arena *arena, const char *path);
struct replay *replay_parse(struct arena *arena, const char *name, const char *text);

/*
 * What the replayed machine's counters can do; before engine_new, the replay must outlive the
 * engine.
 */
void replay_configure(const struct replay *replay, struct engine_config *config);
/* Constants, what is missing, and the regions known from the start. */
void replay_prepare(const struct replay *replay, struct database *db);
uint64_t replay_executions(const struct replay *replay);
/*
 * One execution, which must have been requested of the database; after the last comes the first
 * again.
 */
void replay_execution(struct replay *replay, struct database *db, const struct ms_request *requests,
		      size_t nr, struct engine_cost *cost_out);

struct replay_result {
	uint64_t executions; /* replayed */
	uint64_t done_after; /* executions until nothing was left to decide; 0: never */
	double program_ns, tool_ns;
};
/* All recorded executions once, requests as the engine makes them, then engine_finish. */
struct replay_result replay_run(struct replay *replay, struct engine *engine, struct database *db);

#endif
