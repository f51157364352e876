/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_BUDGET_H
#define MEMSEARCH_SEARCH_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/search/engine.h"

/*
 * Enforces the overhead limit. Time earned: `limit` * the program's time; time spent: the tool's;
 * balance: the difference. An experiment begins only if its predicted cost is within the balance;
 * an expensive one waits until enough is earned, possibly forever.
 *
 * Two bounds on the cost of an experiment:
 *  - of one candidate alone: the balance;
 *  - of several together: in addition, a slowdown of BUDGET_SLOWDOWN_MAX while they are measured,
 *    without the callbacks' own cost (Hollingsworth & Miller 1993: instrumentation overhead >= 15 %
 *    is a hypothesis of its own).
 *
 * Predicted cost: events of the region in a mean execution * cost of one event, which is learned
 * for each sensor from measured executions.
 */
#define BUDGET_SLOWDOWN_MAX 0.15
/*
 * Recording accesses costs as much as hundreds of other experiments. Its share of the limit: a half,
 * or all except BUDGET_WITHOUT_RECORDING of the program's time if that is more. The first recording
 * has an advance (budget_recording_balance_ns).
 */
#define BUDGET_RECORDING 0.5
#define BUDGET_WITHOUT_RECORDING 0.05
/* region events in one execution of the phase, by sensor */
struct budget_load {
	double events[MS_SENSORS];
	/* the requests need executions of which every access was counted */
	bool whole;
};

struct budget {
	double limit;
	double program_ns, tool_ns; /* so far, except the following */
	double ends_ns;             /* the tool's time at the begin and end of the run */
	double recording_ns;        /* part of tool_ns in executions with recorded accesses */
	double recorded_executions; /* per recording, see engine_recording_takes; 0: 1 */
	double questions_ns; /* part of tool_ns in other executions with readings at events */
	double unit_ns[MS_SENSORS]; /* cost of one event */
	/* the callbacks' own cost in an execution with readings at events: now, and as measured */
	double base_ns, measured_base_ns;
	bool based;       /* base_ns is measured and has not decayed since */
	double base_kept; /* factor of base_ns after an execution without requests */
};

void budget_init(struct budget *budget, double limit);
/* One execution or a group of them, each measured with that load. */
void budget_account(struct budget *budget, const struct engine_cost *cost,
		    const struct budget_load *load);
/* The same with a load that is not known. */
void budget_elsewhere(struct budget *budget, const struct engine_cost *cost, bool recorded);
/*
 * Time of the program and the tool before accounting began, and the fixed cost of the run's begin
 * and end. That counts as BUDGET_ENDS of the earned time at most, until the program has run long
 * enough; otherwise nothing could be measured in short programs.
 */
#define BUDGET_ENDS 0.5
void budget_before(struct budget *budget, double program_ns, double tool_ns, double ends_ns);
/*
 * Time that belongs to no execution: the begin of a phase, steps of the search. It does not count
 * as a sensor's cost.
 */
void budget_charge(struct budget *budget, double tool_ns);
double budget_balance_ns(const struct budget *budget);
/* The same for recording. The first recording has an advance: short programs are recorded, too. */
double budget_recording_balance_ns(const struct budget *budget);
/*
 * Whether a measurement may continue at this cost: within the limit, or at most BUDGET_TOLERATED of
 * the balance. First measurements cost more than later ones, and a short program has no others.
 */
#define BUDGET_TOLERATED 0.25
bool budget_tolerates(const struct budget *budget, const struct engine_cost *cost);
double budget_predict_ns(const struct budget *budget, const struct budget_load *load);
/* The same as the cost of cost->executions executions, by sensor; other fields stay. */
void budget_predict(const struct budget *budget, const struct budget_load *load,
		    struct engine_cost *cost);
/* Whether `load` may be measured for `executions` of `phase_ns` each (0: not known yet). */
bool budget_admits(const struct budget *budget, const struct budget_load *load, double phase_ns,
		   double executions, bool alone);

/*
 * Whether the first recording, which costs far more than later ones, is reserved for `load`, which
 * was not admitted: true if `other`, of lower priority, is too small to be worth it, or nearly as
 * large as `load`. False if `load` would wait too long.
 */
bool budget_reserves(const struct budget *budget, const struct budget_load *load,
		     const struct budget_load *other);

#endif
