/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_ENGINE_H
#define MEMSEARCH_SEARCH_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/properties/property.h"
#include "analysis/search/database.h"
#include "memsearch/host.h"
#include "memsearch/request.h"
#include "memsearch/status.h"
#include "analysis/search/engine_config.h"

/*
 * The multistep search (Periscope's cycle): strategy → candidates → missing metrics → requests →
 * one or more executions of the phase → database → evaluate → proven set → strategy. It does not
 * depend on OMPT or a running program: its driver measures the requests, in a live program or from
 * recorded measurements (replay).
 *
 * Runs on one thread at a time, allocates from its arena only.
 */
struct arena;
struct engine;

struct ms_strategy;

/* `db` gets its region 0 if it has none yet. `strategy` NULL: nothing is asked. NULL: no memory. */
struct engine *engine_new(struct arena *arena, const struct engine_config *config,
			  const struct property_set *properties, struct database *db,
			  const struct ms_strategy *strategy);

/*
 * Requests of the next experiment, valid until the next call that takes the engine non-const; when
 * the search has nothing left to measure (then it only re-tests), those of the user's counters, or
 * 0.
 */
size_t engine_requests(const struct engine *engine, const struct ms_request **out);

/*
 * A request for a metric in a region and, if wanted, below it: times everywhere, what costs system
 * calls only in kinds of regions in which some property reads it. So are all that the engine makes.
 */
struct ms_request engine_request(const struct engine *engine, uint32_t metric, uint32_t region,
				 bool subregions);

/*
 * After database_execution_end. True: the experiment is over, verdicts and requests
 * have changed; fetch the requests anew.
 */
bool engine_execution_done(struct engine *engine, const struct engine_cost *cost);
/* The same for executions that were left out: only what they cost counts. */
void engine_account(struct engine *engine, const struct engine_cost *cost);
/*
 * An execution of which another engine requested the values (an agent's): its cost counts, as one
 * that was recorded or not, but prices are not learned from it. `over`: its experiment is; verdicts
 * follow from what the database has.
 */
void engine_execution_elsewhere(struct engine *engine, const struct engine_cost *cost,
				bool recorded, bool over);
/*
 * Cost of the experiment under way in cost->executions executions as the budget predicts it, for
 * drivers that cannot measure it; program_ns and stopped_early stay.
 */
void engine_predict(const struct engine *engine, struct engine_cost *cost);
/* What the tool took between executions. */
void engine_charge(struct engine *engine, double tool_ns);
/* Whether it asks for accesses. */
bool engine_records(const struct engine *engine);
/*
 * What the program and the tool took so far, before the phase was known, and what the run's begin
 * and end take: the limit is of the whole run.
 */
void engine_before(struct engine *engine, double program_ns, double tool_ns, double ends_ns);
/*
 * Executions in which recorded code runs until one is recorded: two where the phase lies inside of a
 * parallel region, as other threads move into their copies during the first one.
 */
void engine_recording_takes(struct engine *engine, unsigned int executions);

/*
 * Everything any property reads, everywhere: for a program without a repetitive phase, which
 * is measured once and searched in engine_finish. Valid as those of engine_requests.
 */
size_t engine_requests_all(struct engine *engine, const struct ms_request **out);

/*
 * The same for these metrics. Of counters only what fits: those measured least so far, so that when
 * it is called again others get their turn. *left_out: some did not fit. Valid as those of
 * engine_requests.
 */
size_t engine_requests_of(struct engine *engine, const uint32_t *metrics, size_t nr,
			  const struct ms_request **out, bool *left_out);
/* An earlier run has measured it in this number of executions: other counters come first. */
void engine_measured_before(struct engine *engine, uint32_t metric, uint64_t executions);
/* Whether a property reads it, or the user named it. */
bool engine_reads(const struct engine *engine, uint32_t metric);

/*
 * The phase is another one from now on: start over; clears the database, keeps what engine_load
 * brought.
 */
void engine_restart(struct engine *engine);
/*
 * These properties are searched from now on, from the begin; the database keeps its values, and the
 * budget what was spent. The set must live as long as the engine.
 */
void engine_change_properties(struct engine *engine, const struct property_set *properties);

/*
 * Candidates that a person chooses, at any time, tested as those of the strategy are (Hollingsworth
 * & Miller 1993: automated refinement uses the operations of the manual one). Fetch the requests
 * anew. Returns how many became nodes: not those that are nodes already or cannot be asked.
 */
size_t engine_ask(struct engine *engine, const struct ms_candidate *candidates, size_t nr);
/* Into the order in which the queue would try them; false: no memory, they stay as they are. */
bool engine_order(const struct engine *engine, struct ms_candidate *candidates, size_t nr);
/* Its metrics can be had, and its property applies to the region. */
bool engine_can_test(const struct engine *engine, const struct ms_candidate *candidate);
/* A hint of the parent's property points at it. */
bool engine_is_hinted(const struct engine *engine, const struct ms_candidate *candidate);

/*
 * A parallel region in which constructs proved to cost too much to measure, while candidates wait for
 * the account: database_drop it, and fetch the requests anew. MS_REGION_NONE: there is none.
 */
uint32_t engine_culprit(const struct engine *engine);

/*
 * The program ends: decide what can be decided from what is there, mark the rest
 * unknown (with reason) or discontinued. With one execution only (no repetitive
 * phase) it walks the strategy to the end over the data at hand. Only the first call has an effect.
 */
void engine_finish(struct engine *engine);

bool engine_done(const struct engine *engine); /* no candidate left to decide */
/* some are true or false; that values scatter is no answer */
bool engine_answered(const struct engine *engine);
uint64_t engine_experiments(const struct engine *engine);
/* what recording may still spend of the limit */
double engine_recording_balance_ns(const struct engine *engine);
/* a continued measurement at such a cost, see budget_tolerates */
bool engine_tolerates(const struct engine *engine, const struct engine_cost *cost);
/* the limit kept candidates from being measured */
bool engine_budget_bound(const struct engine *engine);
/*
 * Nodes are undecided only because they were not measured (enough), or what is decided rests on one
 * execution.
 */
bool engine_restarts_would_help(const struct engine *engine);

#endif
