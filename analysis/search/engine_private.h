/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_ENGINE_PRIVATE_H
#define MEMSEARCH_SEARCH_ENGINE_PRIVATE_H

#include "analysis/search/budget.h"
#include "analysis/search/earlier_verdicts.h"
#include "analysis/search/engine.h"
#include "analysis/search/engine_results.h"
#include "analysis/search/experiment_state.h"
#include "analysis/search/history.h"
#include "analysis/search/judge.h"
#include "memsearch/metric_set.h"
#include "memsearch/strategy.h"

/* The inside of the engine, for engine*.c, experiment_plan.c, conditions.c and host.c only. */
struct id_list {
	uint32_t *items;
	size_t nr, room;
};

/*
 * Nodes of the history graph by what they wait for, and candidates on their way to the strategy and
 * back.
 */
struct engine_queue {
	struct node_list active;         /* being measured */
	struct node_list gated, opening; /* behind a gate; and those being re-tested */
	struct node_list asleep;         /* their interval is not open */
	struct id_list proven, refining; /* newly true; and those passed to the strategy */
	struct ms_candidate *candidates;
	size_t room_candidates;
};

/* Regions that the strategy has seen. */
struct engine_scope {
	uint32_t known_regions;
	uint32_t known_executed; /* and that had values then */
	/* it proposed regions that the phase does not execute (yet) */
	bool left_out;
	bool exceeded;            /* it proposed more than candidates_max */
	uint64_t known_intervals; /* bits: those that were open at a step */
};

struct engine_progress {
	uint64_t experiments;
	uint64_t last_executions; /* of the experiment before */
	uint64_t idle_executions;
	double idle_ns, retest_ns; /* of the program since then; cost of the last re-test */
	/* executions (or groups) before the recent window, re-tests in it */
	uint64_t window_groups, window_experiments;
	bool finishing;
};

/* Nodes of earlier runs, engine_state.c. */
struct engine_carried;
struct engine_earlier {
	struct engine_carried *nodes;
	size_t nr;
	uint32_t runs;
	struct earlier_verdicts verdicts; /* of other runs: they order the search */
};

/* Metrics that properties, the user and the strategy ask for; constant while these are. */
struct engine_metrics {
	struct request_set everything;
	uint32_t kinds[MS_METRICS]; /* property_set_metric_kinds; of the user's counters all */
	struct ms_metric_set reads; /* metrics that are read */
	struct ms_metric_set by_products;
};

struct engine {
	/* collaborators */
	struct arena *arena;
	struct engine_config config;
	const struct property_set *properties;
	struct database *db;
	const struct ms_strategy *strategy;
	void *strategy_state;
	struct ms_host host;
	struct history history;
	struct judge judge;
	struct budget budget;

	struct engine_metrics metrics;
	struct engine_earlier earlier;
	struct engine_scope scope;       /* engine.c */
	struct engine_queue queue;       /* engine.c; experiment_plan.c activates nodes */
	struct engine_progress progress; /* engine.c */
	/* experiment_plan.c makes it, engine.c counts its executions */
	struct engine_experiment now;
	struct engine_selection selection; /* experiment_plan.c, experiment_slots.c */
	struct engine_extra extra;         /* experiment_plan.c, experiment_slots.c */
};

/* --- engine.c */
/* a new node, if there is none */
void engine_candidate(struct engine *engine, const struct ms_candidate *candidate);
/* what the node's place in the queue depends on, from its candidate and parent */
void engine_set_order(const struct engine *engine, struct history_node *node);
const struct property *engine_property(const struct engine *engine, uint32_t property);
/* Whether it applies to the region, and not only to the construct around it. */
bool engine_can_ask(const struct engine *engine, const struct property *property,
		    const struct ms_region_info *region);
void engine_step(struct engine *engine);
/* gives nodes that are not decided yet what was carried over */
void engine_adopt_all(struct engine *engine);

/* --- engine_when.c: the when-axis */
bool engine_interval_is_open(const struct engine *engine, uint32_t interval);
/* Into the queue, or among those that wait until their interval is open. */
void engine_enqueue(struct engine *engine, struct history_node *node);
void engine_wake(struct engine *engine); /* those whose interval is open by now */
/* An interval opened that is new, or that a node waits for. */
bool engine_has_new_intervals(const struct engine *engine);
void engine_refine_when(struct engine *engine);

/* --- conditions.c: pre- and anti-conditions */
enum gate { GATE_OPEN, GATE_WAIT, GATE_CLOSED };
/* May ask about the conditions, that is, add nodes. */
enum gate gate_of(struct engine *engine, const struct ms_candidate *candidate);

/* --- host.c */
void host_init(struct engine *engine);

/*
 * --- hint.c: whether a property's hint ("where threads", "where DO_REGION", "why Name") points at
 * a candidate
 */
bool hint_points(const struct engine *engine, const char *hint,
		 const struct ms_candidate *candidate);

/* --- engine_state.c: the verdict a node had in an earlier run, NULL if it was not decided there */
const struct engine_node *carried_find(const struct engine *engine,
				       const struct ms_candidate *candidate);

#endif
