/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_BRICKS_H
#define MEMSEARCH_SEARCH_BRICKS_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/host.h"

/*
 * The parts that strategies are built from (Gerndt & Kereku: process proven set, process data
 * structure set, process subregion set, process call set). They are compiled into each strategy,
 * call only through the host table, and allocate nothing: host->node_find has the candidates of
 * earlier calls, and a strategy may keep marks where no candidate is left. So a strategy made of
 * bricks returns the same candidates when it is called twice, which the engine does when its buffer
 * was too small.
 *
 * To add a brick: 1. a function here, in terms of the host table only.
 */

/* Candidates being collected; `nr` may exceed `room`: candidates without room are only counted. */
struct brick_output {
	struct ms_candidate *items;
	size_t nr, room;
};

/* Adds (property, region) unless it is a node already or the property does not apply there. */
void brick_ask(const struct ms_host *host, struct brick_output *out, uint32_t property,
	       uint32_t region, uint32_t parent);

/* Adds the candidate, under the same conditions. */
void brick_propose(const struct ms_host *host, struct brick_output *out,
		   const struct ms_candidate *candidate);

/*
 * Every root of the why-axis at the phase, or, where it does not apply to one, at the outermost
 * regions to which it does.
 */
void brick_initial(const struct ms_host *host, struct brick_output *out);
/* ms_strategy.initial of strategies that begin with these alone. */
size_t brick_initial_candidates(void *state, const struct ms_host *host, struct ms_candidate *out,
				size_t room);

/* Process proven set: calls `refine` for each node that is (still) true. */
typedef void brick_refine(const struct ms_host *host, uint32_t node,
			  const struct ms_candidate *proven, struct brick_output *out);
void brick_proven_set(const struct ms_host *host, const uint32_t *proven, size_t nr,
		      brick_refine *refine, struct brick_output *out);

/* The more specific properties at the same region. */
void brick_specific_set(const struct ms_host *host, uint32_t node,
			const struct ms_candidate *proven, struct brick_output *out);

/*
 * Process subregion set: the same property at the regions below, nearest first on every
 * way down: below a region to which it does not apply the search continues. Not below a called
 * function where it or a more specific one can be tested of functions: these are levels.
 */
void brick_subregion_set(const struct ms_host *host, uint32_t node,
			 const struct ms_candidate *proven, struct brick_output *out);

/* The more specific properties at regions below to which only they apply, not the proven one. */
void brick_specific_subregion_set(const struct ms_host *host, uint32_t node,
				  const struct ms_candidate *proven, struct brick_output *out);

/*
 * Both of these sets, breadth first: priority 0 at the phase, lower by 1 with each region around.
 */
void brick_level_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
		     struct brick_output *out);

/*
 * The level set of the loop-aware search (Moore et al.): what is inside a natural loop is proposed
 * only when the property is true of the loop. So of a region these are the regions and data
 * structures in no loop, and its outermost loops; of a loop what is directly in it, and the loops
 * directly nested. Where neither the property nor the more specific ones can be tested in loops,
 * these are no level.
 */
void brick_loop_level_set(const struct ms_host *host, uint32_t node,
			  const struct ms_candidate *proven, struct brick_output *out);

/* The same property in the same region, of each of its threads alone. */
void brick_thread_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
		      struct brick_output *out);

/*
 * Possible candidates of a brick: their number, and how many of them are nodes without a verdict.
 */
struct brick_tally {
	size_t nr, open;
};

/*
 * Process data structure set: the same property at the data structures that the region uses, or,
 * where it does not apply to data structures, the more specific ones that do.
 */
struct brick_tally brick_data_structure_set(const struct ms_host *host, uint32_t node,
					    const struct ms_candidate *proven,
					    struct brick_output *out);
int brick_is_about_data(const struct ms_host *host, const struct ms_candidate *candidate);

/* Both of the subregion sets, but neither data structures nor functions that are called. */
struct brick_tally brick_code_set(const struct ms_host *host, uint32_t node,
				  const struct ms_candidate *proven, struct brick_output *out);

#define BRICK_MARKS 4096 /* nodes of a search; later ones are visited each time */

/* Of one search, all 0 at its begin, and with another host. */
struct brick_marks {
	const struct ms_host *host;
	uint32_t regions; /* known by now */
	/* by node: the number of regions when no candidate was left; 0: there may be some */
	uint32_t settled[BRICK_MARKS];
};

/*
 * The next step of nodes proven earlier, not of `proven`: calls `refine` for true nodes about code
 * whose property leads to data structures, when no candidate about these is pending; for each until
 * it adds none, and again when there are more regions.
 */
void brick_answered_set(const struct ms_host *host, const uint32_t *proven, size_t nr,
			brick_refine *refine, struct brick_marks *marks, struct brick_output *out);

/*
 * Refinement in stages, the first one that is not false ends it: calls `refine` for true nodes
 * without a refinement that is true or pending, for each until it adds none, and again when there
 * are more regions.
 */
void brick_unrefined_set(const struct ms_host *host, brick_refine *refine,
			 struct brick_marks *marks, struct brick_output *out);

/* As ms_host.is_hinted; 0 where the host does not have it. */
int brick_is_hinted(const struct ms_host *host, const struct ms_candidate *candidate);

/*
 * Process call set: the same property, or the more specific ones, at the functions called in the
 * region; each function once, as it is one region of it.
 */
void brick_call_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
		    struct brick_output *out);

#endif
