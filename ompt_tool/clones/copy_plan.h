/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_COPY_PLAN_H
#define MEMSEARCH_CLONES_COPY_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/code/control_flow.h"
#include "analysis/code/liveness.h"
#include "ompt_tool/clones/clone.h"

/*
 * Decisions before a copy is written: the loops that keep the buffer's cursor in a register, and
 * the points at which a clone checks whether the buffer is full.
 */
struct plan {
	/* by block: register with the cursor; CODE_NO_REGISTER: in TLS */
	uint8_t *cursor;
	bool *check; /* by block: checks at its begin */
	/* by block: is copied; unreachable blocks only if there are unknown jumps */
	bool *written;
	/* by block: a counted loop (counted.h) whose next block is written, too */
	bool *counted;
	uint32_t *words; /* by block: maximum of words recorded in it */
};

/* `probes`: enum clone_probes. NULL: no memory. In the arena. */
struct plan *plan_new(struct arena *arena, const struct graph *graph, const struct liveness *live,
		      uint32_t probes);

/* Whether the access is recorded with these probes, and how many words it takes at most. */
bool plan_records(const struct code_access *access, uint32_t probes);
uint32_t plan_words(const struct code_access *access);

/* Whether begins and ends of iterations are recorded. */
static inline bool plan_has_iterations(uint32_t probes)
{
	return probes & CLONE_LOOPS && !(probes & CLONE_TIMES);
}

/*
 * The loop contains the edge's source but not its target, or the other way round. `from`
 * GRAPH_NONE: the function's entry.
 */
static inline bool plan_leaves(const struct graph *graph, uint32_t loop, uint32_t from, uint32_t to)
{
	return from != GRAPH_NONE && graph_loop_has(graph, loop, from) &&
	       !graph_loop_has(graph, loop, to);
}
static inline bool plan_enters(const struct graph *graph, uint32_t loop, uint32_t from, uint32_t to)
{
	return graph_loop_has(graph, loop, to) &&
	       (from == GRAPH_NONE || !graph_loop_has(graph, loop, from));
}
static inline bool plan_goes_back(const struct graph *graph, uint32_t loop, uint32_t from,
				  uint32_t to)
{
	return from != GRAPH_NONE && graph->loops[loop].header == to &&
	       graph_loop_has(graph, loop, from);
}

#endif
