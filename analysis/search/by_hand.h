/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_BY_HAND_H
#define MEMSEARCH_SEARCH_BY_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/strategy.h"

/*
 * A search by hand: a strategy that names no candidate, but keeps those that another one proposes,
 * and lists what a person may choose from: all refinements of what is true, on all axes
 * (Hollingsworth & Miller 1993, magnify). What is chosen goes to engine_ask. Not here: the dialogue
 * (cmds/search_step.c).
 *
 * One search by hand at a time, as a strategy's init has no argument for it.
 */
struct arena;
struct engine;

/* Hierarchies to refine along, as bits of a set. */
enum by_hand_axis {
	BY_HAND_WHY = 1 << 0,     /* more specific properties of the same region */
	BY_HAND_CODE = 1 << 1,    /* regions inside */
	BY_HAND_DATA = 1 << 2,    /* data structures */
	BY_HAND_THREADS = 1 << 3, /* one thread of the same region */
	/* what the strategy proposes, along any axis */
	BY_HAND_PROPOSED = 1 << 4,
};

struct by_hand_candidate {
	struct ms_candidate candidate;
	enum by_hand_axis axis;
	bool proposed; /* by the strategy, too */
	bool hinted;
};

struct by_hand;
/* `strategy` proposes. NULL: no memory. */
struct by_hand *by_hand_new(struct arena *arena, const struct ms_strategy *strategy);
/* For engine_new; until the next by_hand_new. */
const struct ms_strategy *by_hand_strategy(const struct by_hand *by_hand);
/*
 * What can be tested next along these axes, in the order of the engine's queue; each once and none
 * that is a node. Returns their number, in memory that stays; SIZE_MAX: no memory.
 */
size_t by_hand_list(struct by_hand *by_hand, const struct engine *engine, unsigned int axes,
		    const struct by_hand_candidate **out);

#endif
