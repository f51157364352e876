/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_BRICKS_H
#define MEMSEARCH_SEARCH_BRICKS_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/host.h"

/*
 * The bricks strategies are put together from (Gerndt & Kereku: process proven set,
 * process data structure set, process subregion set, process call set). They are compiled into each strategy, call only
 * through the host table, and take no memory: what was asked already is
 * what host->node_find knows, and where nothing is left to ask may be kept in marks of the strategy's. So a strategy made of bricks gives the
 * same answer when it is asked twice, which the engine does when its buffer was too small.
 *
 * To add a brick: 1. a function here, in terms of the host table only.
 */

/* Candidates being collected; `nr` may exceed `room`, what does not fit is only counted. */
struct brick_output {
	struct ms_candidate *items;
	size_t nr, room;
};

/* Adds (property, region) unless it was asked before or the property does not apply there. */
void brick_ask(const struct ms_host *host, struct brick_output *out, uint32_t property, uint32_t region, uint32_t parent);

/* Every root of the why-axis at the phase, or, where it does not apply to one, at the outermost regions to which it does. */
void brick_initial(const struct ms_host *host, struct brick_output *out);

/* Process proven set: calls `refine` for each node that is (still) true. */
typedef void brick_refine(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out);
void brick_proven_set(const struct ms_host *host, const uint32_t *proven, size_t nr, brick_refine *refine, struct brick_output *out);

/* The more specific properties at the same region. */
void brick_specific_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out);

/*
 * Process subregion set: the same property at the regions below, nearest first on every
 * way down: a region to which it does not apply is passed through.
 */
void brick_subregion_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out);

/* The more specific properties at regions below to which only they apply, not the proven one. */
void brick_specific_subregion_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out);

/* Of what a brick could ask: how many there are, and how many of them were asked and have no answer yet. */
struct brick_tally { size_t nr, open; };

/*
 * Process data structure set: the same property at the data structures that the region uses, or, where it does not apply to
 * data structures, the more specific ones that do.
 */
struct brick_tally brick_data_structure_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven,
					    struct brick_output *out);
int brick_is_about_data(const struct ms_host *host, const struct ms_candidate *candidate);

/* Both of the subregion sets, but neither data structures nor functions that are called. */
struct brick_tally brick_code_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out);

#define BRICK_MARKS 4096                 /* nodes of a search; what is beyond is looked at again each time */

/* Of one search, all 0 at its begin; another host begins anew. */
struct brick_marks {
	const struct ms_host *host;
	uint32_t regions;                /* known by now */
	uint32_t settled[BRICK_MARKS];   /* by node: of so many regions there was nothing left to ask; 0: there may be */
};

/*
 * The next step of what was proven earlier, not of `proven`: calls `refine` for true nodes about pieces of code whose property
 * leads to data structures, once nobody waits for answers about these; for each until it asks nothing more, and again when
 * there are more regions.
 */
void brick_answered_set(const struct ms_host *host, const uint32_t *proven, size_t nr, brick_refine *refine, struct brick_marks *marks,
			struct brick_output *out);

/* Process call set: the same property at the functions called from call sites in the region; each function once. */
void brick_call_set(const struct ms_host *host, uint32_t node, const struct ms_candidate *proven, struct brick_output *out);

#endif
