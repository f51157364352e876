/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_ENGINE_PRIVATE_H
#define MEMSEARCH_SEARCH_ENGINE_PRIVATE_H

#include "analysis/search/budget.h"
#include "analysis/search/engine.h"
#include "analysis/search/history.h"
#include "analysis/search/judge.h"
#include "analysis/search/request_set.h"
#include "analysis/search/counter_slots.h"
#include "memsearch/metric_set.h"
#include "memsearch/strategy.h"

/* The inside of the engine, for engine*.c, experiment_plan.c, conditions.c and host.c only. */
struct node_list {
	struct history_node **items;
	size_t nr, room;
};

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

struct engine_progress {
	uint64_t experiments;
	uint64_t last_executions; /* of the experiment before */
	uint64_t idle_executions;
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
};

/* Metrics that properties, the user and the strategy ask for; constant after engine_new. */
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
	struct engine_experiment
		now; /* experiment_plan.c makes it, engine.c counts its executions */
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

/* --- conditions.c: pre- and anti-conditions */
enum gate { GATE_OPEN, GATE_WAIT, GATE_CLOSED };
/* May ask about the conditions, that is, add nodes. */
enum gate gate_of(struct engine *engine, const struct ms_candidate *candidate);

/* --- experiment_plan.c: the measurements a node needs, those present, and the next ones */
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

/* --- experiment_slots.c: assignment of counters */
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
