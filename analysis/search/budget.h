/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_BUDGET_H
#define MEMSEARCH_SEARCH_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/search/engine.h"

/*
 * The overhead limit, as an account: the program's time earns `limit` of itself, the tool's time is
 * spent; no experiment is begun that would overdraw it. An expensive experiment waits until it is
 * earned, possibly forever.
 *
 * Two bounds on an experiment:
 *  - one candidate alone may cost what is in the account;
 *  - several together may not slow the program down by more than BUDGET_SLOWDOWN_MAX while they are
 *    measured, beside what callbacks take for the first one, because beyond it the measuring is the
 *    bottleneck (Hollingsworth & Miller 1993: instrumentation overhead >= 15 % is a hypothesis).
 *
 * The cost of new measurements is predicted: events of the region in a mean execution * cost of one
 * event, learned for each sensor from what was measured.
 */
#define BUDGET_SLOWDOWN_MAX 0.15
/*
 * The share of the limit for recording accesses: one recording costs as much as hundreds of other
 * experiments and would use up the limit. So it is a half, or all above the default limit. The
 * first recording has an advance (budget_recording_balance_ns).
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
	double ends_ns;             /* the tool's in the run's begin and end */
	double recording_ns;        /* part of it in executions with recorded accesses */
	double recorded_executions; /* that a recording takes, see engine_recording_takes; 0: 1 */
	double questions_ns;        /* part of it in others that measured something */
	double unit_ns[MS_SENSORS]; /* one event */
	/* of an execution in which callbacks measure anything, beside that */
	double base_ns, measured_base_ns;
	bool based;       /* … is measured, and not less of an earlier one */
	double base_kept; /* of it after an execution without requests */
};

void budget_init(struct budget *budget, double limit);
/* One execution or a group of them, each measured with that load. */
void budget_account(struct budget *budget, const struct engine_cost *cost,
		    const struct budget_load *load);
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
 * Whether a measurement may continue at such a cost: within the limit, or at most BUDGET_BORNE of
 * the account so far. First measurements cost more than later ones, and are all that a short
 * program gets.
 */
#define BUDGET_BORNE 0.25
bool budget_bears(const struct budget *budget, const struct engine_cost *cost);
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
