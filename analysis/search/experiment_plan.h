/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_EXPERIMENT_PLAN_H
#define MEMSEARCH_SEARCH_EXPERIMENT_PLAN_H

#include "analysis/search/engine_private.h"

/*
 * The measurements that a node needs, those present, and the next ones. The inside of the engine:
 * engine.c fills its queue, experiment_plan.c makes an experiment of it, experiment_slots.c assigns
 * counters.
 */
struct needs {
	struct ms_request items[4 * MS_METRICS + 1];
	size_t nr;
};

/* observations of all metrics that a node needs */
struct seen {
	bool recent;                      /* in the recent window */
	uint64_t executions, groups;      /* groups of short executions */
	bool minimum, sufficient, plenty; /* plenty: twice the sufficient time */
	bool unrecorded;                  /* all but recorded accesses sufficiently */
	double covered;                   /* part of the interval from the first observation on */
};

/* Of a region in a mean execution, on the thread that is longest in it; ns, 0: not known. */
double experiment_time(const struct engine *engine, uint32_t region);
/*
 * Of one candidate at a time: in the engine's own memory, up to the next call, as it is too large
 * for the stack of a program's thread.
 */
struct needs *experiment_needs(const struct engine *engine, const struct ms_candidate *candidate);
struct seen experiment_seen(const struct engine *engine, const struct ms_candidate *candidate,
			    bool recent);
/* Fills the active set from the queue as far as the budget goes, and makes its requests. */
void experiment_select(struct engine *engine);
/* Requests the metrics of true nodes and of the most general false ones, for their re-test. */
void experiment_retest(struct engine *engine);
/*
 * No search: requests the user's counters, the next ones if not all fit. True: different ones than
 * before.
 */
bool experiment_extra(struct engine *engine);

#endif
