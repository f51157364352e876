/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_PLAN_H
#define MEMSEARCH_CLONES_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/code/graph.h"
#include "ompt_tool/code/liveness.h"

/*
 * What is decided about a function's copy before any byte of it is written: in which
 * loops the buffer's cursor stays in a register, and where a clone looks whether the buffer is full.
 */
struct plan {
	uint8_t *cursor;                 /* a block: register that holds the cursor in it; CODE_NO_REGISTER: it is in TLS */
	bool *look;                      /* a block: looks at its begin */
	bool *written;                   /* a block: is copied; not what nothing leads to, unless jumps are unknown */
	bool *counted;                   /* a block: is a counted loop (counted.h) whose next block is written, too */
	uint32_t *words;                 /* a block: at most so many are recorded in it */
};

/* `probes`: enum clone_probes. NULL: no memory. In the arena. */
struct plan *plan_new(struct arena *arena, const struct graph *graph, const struct liveness *live, uint32_t probes);

/* Whether the access is recorded with these probes, and how many words it takes at most. */
bool plan_records(const struct code_access *access, uint32_t probes);
uint32_t plan_words(const struct code_access *access);

/* The loop contains the edge's source but not its target, or the other way round. `from` GRAPH_NONE: the function's entry. */
static inline bool plan_leaves(const struct graph *graph, uint32_t loop, uint32_t from, uint32_t to)
{
	return from != GRAPH_NONE && graph_loop_has(graph, loop, from) && !graph_loop_has(graph, loop, to);
}
static inline bool plan_enters(const struct graph *graph, uint32_t loop, uint32_t from, uint32_t to)
{
	return graph_loop_has(graph, loop, to) && (from == GRAPH_NONE || !graph_loop_has(graph, loop, from));
}
static inline bool plan_goes_back(const struct graph *graph, uint32_t loop, uint32_t from, uint32_t to)
{
	return from != GRAPH_NONE && graph->loops[loop].header == to && graph_loop_has(graph, loop, from);
}

#endif
