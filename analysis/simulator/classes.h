/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_CLASSES_H
#define MEMSEARCH_SIMULATOR_CLASSES_H

#include "analysis/simulator/access.h"
#include "analysis/simulator/state.h"

/*
 * The class of a miss of the line of this address in that level (rule 9); `in_shadow`: the level's
 * shadow cache has it. Call before the access changes anything.
 */
enum simulator_class classes_of(struct simulator *simulator, struct core *core,
				const struct access *access, unsigned level, uint64_t address,
				bool in_shadow);
/* Prefetches the data that classes_of needs. */
void classes_expect(const struct cache *cache, uint64_t line);
/* The cache gets an invalidated line again; `row` NULL: its history had no room for it. */
void classes_returned(struct simulator *simulator, struct cache *cache,
		      struct eviction_history_row *row, uint64_t line);

/* The line has entered the cache. */
static inline void classes_entered(struct simulator *simulator, struct cache *cache, uint64_t line)
{
	struct eviction_history_row *row = eviction_history_find(&cache->history, line, true);

	if (row)
		row->seen |= eviction_history_bit(line);
	if (__builtin_expect(!row || row->taken & eviction_history_bit(line), 0))
		classes_returned(simulator, cache, row, line);
}

#endif
