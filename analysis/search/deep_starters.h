/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_DEEP_STARTERS_H
#define MEMSEARCH_SEARCH_DEEP_STARTERS_H

#include "analysis/search/bricks.h"

/*
 * Deep starters (Roth & Miller, EuroPar 2002), a part of strategies as the bricks: when a property
 * is true of a region, it is tested at the deepest regions inside in which many CPU-clock samples
 * were taken, before the levels between. Samples choose what is tested; every verdict is measured.
 *
 * Samples have no call stack here, but the region in which they were taken: its stack is the path
 * of regions from the phase to it, and the count graph (count_graph.h) is one of regions. A graph
 * of functions needs only another count_samples().
 *
 * Of one property tree: where a property does not apply to the deep region, the nearest more
 * specific ones that do are tested there, as the background search would reach them in steps.
 *
 * Synchronisation is no frequent region, as threads that wait take no samples: strategies search
 * the regions level by level, too.
 */

/* Background candidates have 0 and less. */
enum { DEEP_PRIORITY_CONNECTING = 1, DEEP_PRIORITY_STARTER = 2 };

/*
 * ms_strategy.init: state of one search, in the engine's memory. NULL: the host offers no memory or
 * no by-products; then there are no deep starters.
 */
void *deep_starters_init(const struct ms_host *host);

/*
 * For ms_strategy.refine: the deep starters below each node that is true, the regions that connect
 * it with them, then what `background` adds for the node. Nodes that were proven before there were
 * samples are processed with the first ones.
 */
size_t deep_starters_refine(void *state, const struct ms_host *host, const uint32_t *proven,
			    size_t nr, brick_refine *background, struct ms_candidate *out,
			    size_t room);

#endif
