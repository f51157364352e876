/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PLAIN_H
#define MEMSEARCH_SIMULATOR_PLAIN_H

#include "ompt_tool/simulator/state.h"

/*
 * A plain machine: one core whose L1 and L2 are all there is, both LRU, write-back and write-allocate, without prefetchers; and neither classes nor
 * utilisation are counted. What hierarchy.c does for an access can be said in a few lines for it, and that is what most time is spent on.
 */
bool plain_applies(const struct simulator *simulator);
/* An access in one line of L1, which that has not and enters into this way, cache_oldest. Translation is not looked at. */
void plain_miss(struct simulator *simulator, struct core *core, uint64_t address, bool write, struct simulator_counters *counters, uint32_t way);

/* cache_touch and cache_fill, of such a cache. */
static inline void plain_touch(struct cache *cache, uint32_t way)
{
	cache->stamps[way] = cache_tick(cache);
	cache->newest = way;
}

static inline void plain_fill(struct cache *cache, uint32_t way, uint64_t line, uint8_t state)
{
	cache->tags[way] = line + 1;
	cache->marks[way] = cache_mark(line);
	cache->states[way] = state;
	cache->guesses[line & cache->guess_mask] = (uint16_t)(way - cache_set(cache, line) * cache->ways);
	plain_touch(cache, way);
}

#endif
