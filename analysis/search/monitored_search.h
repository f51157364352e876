/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_MONITORED_SEARCH_H
#define MEMSEARCH_SEARCH_MONITORED_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/search/engine.h"
#include "memsearch/status.h"

/*
 * A search outside of the program, over what a monitor measures: a finished run, or another process.
 * Engine, strategies and properties are those of the search in the program. Also its search profile
 * (Roth & Miller): after which experiment and execution each node was proven. Time counts in
 * executions of the phase. Over a run the first experiment measures only what the strategy asks
 * for, unlike in the program.
 *
 *     monitored_search_begin, then monitored_search_advance until it returns false, then
 *     monitored_search_finish
 *
 * One thread; allocates from the arena only.
 */
struct arena;
struct database;
struct monitor;
struct ms_strategy;
struct property_set;
struct record_replay;
struct run;

struct monitored_proof {
	uint32_t node;                    /* engine_node */
	uint64_t experiments, executions; /* until it was proven for the first time */
};

struct monitored_search {
	/* set before monitored_search_begin; db: with the constants of properties */
	struct arena *arena;
	const struct run *run; /* measures; NULL: `monitor` does */
	const struct monitor *monitor;
	void *monitor_ctx;
	const struct property_set *properties;
	const struct ms_strategy *strategy;
	struct database *db;
	double overhead_limit;    /* as in struct engine_config */
	const char *earlier;      /* text of earlier_verdicts_text; NULL: none */
	double deep_threshold;    /* the same; 0: its default */
	uint64_t executions_most; /* ends the search, however much is left to decide */
	/*
	 * may be set at any time: properties to search from the end of the experiment on, over the
	 * values so far; NULL once that has begun
	 */
	const struct property_set *next_properties;

	/* results */
	struct engine *engine;
	struct record_replay *replay; /* of `run` */
	uint64_t executions;
	uint64_t changed_after; /* executions when the properties changed last; 0: never */
	bool ended;             /* nothing was left to decide, or the monitor has ended */
	struct monitored_proof *proofs;
	size_t nr_proofs, room_proofs;
	bool *proven; /* by node: it is in `proofs` */
	size_t room_proven;
	bool failed; /* no memory for proofs or requests */
};

/* As record_replay_new, or the monitor's `prepare`. */
enum ms_status monitored_search_begin(struct monitored_search *search);
/*
 * Measures until an experiment is over. False: nothing is left to measure, or no execution; of a
 * monitor that is no replay: there is none for now (MONITOR_NOTHING), or it has ended.
 */
bool monitored_search_advance(struct monitored_search *search);
/* Candidates of a person, see engine_ask; returns how many became nodes. */
size_t monitored_search_ask(struct monitored_search *search, const struct ms_candidate *candidates,
			    size_t nr);
/* The program ends. MS_ERR_MEMORY: proofs are missing. */
enum ms_status monitored_search_finish(struct monitored_search *search);

#endif
