/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_EXPERIMENT_STATE_H
#define MEMSEARCH_SEARCH_EXPERIMENT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/search/budget.h"
#include "analysis/search/counter_slots.h"
#include "analysis/search/request_set.h"

/* State of the engine's experiments. The inside of the engine, see engine_private.h. */
struct history_node;
struct needs;

struct node_list {
	struct history_node **items;
	size_t nr, room;
};

/* The experiment under way; no requests: idle. */
struct engine_experiment {
	struct request_set requests;
	struct request_set output; /* these, by-products and the user's counters */
	struct slots slots;        /* counters in them */
	struct budget_load load;
	uint64_t executions;
	double program_ns, tool_ns;
	bool retesting;
	/* accesses are recorded: one execution, and nothing else is measured in it */
	bool recording;
};

/* How the last experiments were selected. */
struct engine_selection {
	struct needs *needs; /* of the current candidate */
	struct node_list misfits;
	/* the first recording that the budget did not admit this time */
	struct budget_load waiting;
	bool kept_waiting;     /* the last selection left candidates out for their cost */
	bool crowded;          /* the last selection left out what had no counter … */
	bool crowded_out;      /* … because the user's took all of them */
	bool was_crowded;      /* the selection before did */
	uint32_t retest_first; /* node to begin with … */
	bool was_left_out;     /* … because it found no counter in the re-test before */
};

/* The user's counters, which take turns with those of the search. */
struct engine_extra {
	bool last;                   /* this experiment is the search's own */
	bool turns_last;             /* the next experiment_take_turns is */
	bool rests;                  /* it leaves out the user's counters */
	uint64_t turns;              /* experiments since these have been seen plenty */
	uint64_t before[MS_METRICS]; /* executions in which earlier runs measured it */
};

#endif
