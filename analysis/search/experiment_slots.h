/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_EXPERIMENT_SLOTS_H
#define MEMSEARCH_SEARCH_EXPERIMENT_SLOTS_H

#include "analysis/search/experiment_plan.h"

/* Assignment of counters to an experiment. The inside of the engine, see experiment_plan.h. */

/* Slots for the user's counters, as far as there are; false: some were left out. */
bool experiment_take_extra(struct engine *engine, struct slots *slots);
/*
 * At the begin of an experiment: whether the user's counters, which take turns, have been seen
 * enough to pause in this one.
 */
bool experiment_extra_rests(struct engine *engine);
/* The same for theirs and for `wanted`, those that were measured least in region 0 first. */
bool experiment_take_turns(struct engine *engine, struct slots *slots, const uint32_t *wanted,
			   size_t nr);
/* A candidate got none of what it needs, beside these. */
void experiment_left_out(struct engine *engine, const struct slots *slots);
bool experiment_needs_counters(const struct needs *needs);
/*
 * Reduces `needs` to what fits beside the slots already taken. Metrics that fit together wait until
 * they do, so that the parts of a ratio come from the same executions; a set that never fits gets
 * the free slots. Metrics that fit no experiment are missing from now on. False: it needs counters
 * and gets none.
 */
bool experiment_choose(struct engine *engine, struct needs *needs);

#endif
