/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_BUDGET_H
#define MEMSEARCH_SEARCH_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/search/engine.h"

/*
 * What measuring may cost. An account: the program's time earns `limit` of itself, the
 * tool's time is spent; nothing is begun that would overdraw it. So an expensive
 * experiment waits until it has been earned, and what never is, is never measured.
 *
 * Two bounds on an experiment:
 *  - one candidate alone may cost what is in the account;
 *  - several together may not slow the program down by more than BUDGET_SLOWDOWN_MAX
 *    while they are measured, beside what callbacks take for the first one, because beyond it the measuring is the bottleneck
 *    (Hollingsworth & Miller 1993: instrumentation overhead >= 15 % is a hypothesis).
 *
 * The cost of what was never measured is predicted: events of the region in a mean
 * execution * cost of one event, learned for each sensor from what was measured.
 */
#define BUDGET_SLOWDOWN_MAX 0.15
/*
 * What recording accesses may take of the limit: one execution costs as much as hundreds of others, and would leave the search nothing. So it is a half, or
 * all but the share that everything else has by default. The first recording has an advance (budget_recording_balance_ns).
 */
#define BUDGET_RECORDING 0.5
#define BUDGET_MODELLING 0.7             /* where the user named a machine to model: accesses are what the run is about, simulated or only recorded */
#define BUDGET_WITHOUT_RECORDING 0.05
/* Of the limit, what simulating leaves to what comes after it: recording what was found there, questions of time, the report. */
#define BUDGET_TO_COME 0.25
#define BUDGET_SPARE 0.75                /* of that, rather than to leave a simulation out, or not to end it */

/* What simulating takes that looks at one line in so many, as a part of what looking at all takes. */
double budget_lines_share(uint32_t one_in);

struct budget_load {                    /* region events in one execution of the phase, by sensor */
	double events[MS_SENSORS];
	bool whole;                     /* what is asked for has values only in executions of which every access was counted */
};

struct budget {
	double limit;
	bool modelled;                  /* the user named a machine to model */
	double program_ns, tool_ns;     /* so far, but for what follows */
	double ends_ns;                 /* the tool's in the run's begin and end */
	double recording_ns;            /* part of it in executions with recorded accesses */
	double unit_ns[MS_SENSORS];     /* one event */
	double base_ns;                 /* of an execution in which callbacks measure anything, beside that */
	bool based;                     /* … is known */
};

void budget_init(struct budget *budget, double limit, bool modelled);
/* One execution or a group of them, each measured with that load. */
void budget_account(struct budget *budget, const struct engine_cost *cost, const struct budget_load *load);
/*
 * What the program and the tool took before anything was accounted for, and what the run's begin and end take, whatever is measured. Of what is
 * earned that is BUDGET_ENDS at most, until the program has run long enough: or short programs would be slowed down and told nothing.
 */
#define BUDGET_ENDS 0.5
void budget_before(struct budget *budget, double program_ns, double tool_ns, double ends_ns);
/* What belongs to no execution: beginning with a phase, steps of the search. No sensor is dearer for it. */
void budget_charge(struct budget *budget, double tool_ns);
double budget_balance_ns(const struct budget *budget);
/* The same for recording. The first recording has an advance, unless a machine is modelled: short programs are recorded, too. */
double budget_recording_balance_ns(const struct budget *budget);
double budget_to_come_ns(const struct budget *budget);   /* part of the balance */
/*
 * Whether what goes on at such a cost may do so: it is within the limit, or what it took is BUDGET_BORNE of the account at most. What is measured for the
 * first time takes more than later, and what little a short program can be told comes from there.
 */
#define BUDGET_BORNE 0.25
bool budget_bears(const struct budget *budget, const struct engine_cost *cost);
double budget_predict_ns(const struct budget *budget, const struct budget_load *load);
/* Whether `load` may be measured for `executions` of `phase_ns` each (0: not known yet). */
bool budget_admits(const struct budget *budget, const struct budget_load *load, double phase_ns, double executions, bool alone);

/*
 * Whether recording `load`, which was not admitted, is to have the first recording, which takes far more than those that follow: `other`, which was
 * wanted less, is so much smaller that it is not worth that, or smaller by so little that `load` has its turn soon after. Not where `load` has to wait too long.
 */
bool budget_reserves(const struct budget *budget, const struct budget_load *load, const struct budget_load *other);

#endif
