/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_ENGINE_RESULTS_H
#define MEMSEARCH_SEARCH_ENGINE_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/search/engine_config.h"
#include "memsearch/property.h"
#include "memsearch/status.h"
#include "memsearch/strategy.h"

/* What a search (engine.h) found, and its state for another run. */
struct arena;
struct engine;

/* The search history graph. Nodes stay where they are until engine_restart. */
struct engine_node {
	uint32_t id;
	struct ms_candidate candidate;
	enum ms_node_state state;
	struct ms_verdict verdict;
	uint32_t experiments; /* evaluated in this number of executions */
	/* when this state was reached; 0: in an earlier run, or not known */
	struct engine_time reached;
	/* true only from this execution of the phase on, over which the verdict is; 0: over all */
	uint64_t since;
	uint32_t nr_threads;
	/* the first ones by-thread properties name, in their order */
	uint32_t threads[8];
	uint32_t nr_nodes;
	uint32_t nodes[8]; /* the NUMA nodes by-node properties name, likewise */
};
size_t engine_nodes(const struct engine *engine);
const struct engine_node *engine_node(const struct engine *engine, uint32_t id);

/*
 * The state of the search for a restarted run: the decided nodes, as text in an arena. Regions are
 * identified by their key; nodes in regions without one (except region 0) are omitted. A
 * carried-over node is decided as soon as the strategy proposes it, so that the search continues;
 * it is re-tested with new data. MS_ERR_FORMAT: the text is damaged, the engine is unchanged.
 */
char *engine_save(const struct engine *engine, struct arena *arena);
enum ms_status engine_load(struct engine *engine, const char *text);
/* earlier runs that what was loaded has seen */
uint32_t engine_runs(const struct engine *engine);

#endif
