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
struct deep_starters;

/* Background candidates have 0 and less. */
enum { DEEP_PRIORITY_CONNECTING = 1, DEEP_PRIORITY_STARTER = 2 };

/*
 * In ms_strategy.init: state of one search, in the engine's memory. NULL: the host offers no memory
 * or no by-products; then there are no deep starters.
 */
struct deep_starters *deep_starters_new(const struct ms_host *host);

/*
 * Process proven set: the deep starters below each node that is true, then the regions that connect
 * it with them. Nodes that were proven before there were samples are processed with the first ones.
 */
void deep_starters_set(const struct ms_host *host, struct deep_starters *starters,
		       const uint32_t *proven, size_t nr, struct brick_output *out);

#endif
