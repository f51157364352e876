/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_CACHE_LINES_H
#define MEMSEARCH_SIMULATOR_CACHE_LINES_H

#include "analysis/simulator/cache.h"

/* Lines that enter a cache (cache.h) and its shadow cache, and leave them. */

/* Removes the line only. */
static inline void cache_empty(struct cache *cache, uint32_t way)
{
	cache->tags[way] = 0;
	cache->stamps[way] = 0;
	cache->states[way] = 0;
	cache->newest = cache->newest == way ? NO_WAY : cache->newest;
}

/* Evicts the way's line: it stays in the shadow cache, if it was there. */
static inline void cache_evict(struct cache *cache, uint32_t way)
{
	uint32_t stamp = cache->stamps[way];

	if (cache->log && stamp >= cache->oldest)
		cache->log[stamp & cache->log_mask] = SHADOW_MARK |
						      shadow_cache_add(&cache->shadow,
								       cache_line(cache, way),
								       stamp);
	cache_empty(cache, way);
}

/* Invalidates the way's line: it leaves the shadow cache, too. */
void cache_remove(struct cache *cache, uint32_t way);

/*
 * Replaces the line of a way, in a cache without shadow cache and further state. The caller sets
 * its stamp later.
 */
static inline void cache_put(struct cache *cache, uint32_t way, uint64_t line)
{
	cache->tags[way] = line + 1;
	cache->partial_tags[way] = partial_tag_of(line);
	cache->guesses[line & cache->guess_mask] = (uint16_t)(way -
							      cache_set(cache, line) * cache->ways);
}

/* Enters the line, not in the shadow cache (cache_forget), into an empty way as the newest. */
static inline void cache_fill(struct cache *cache, uint32_t way, uint64_t line, uint8_t state)
{
	cache->tags[way] = line + 1;
	cache->partial_tags[way] = partial_tag_of(line);
	cache->states[way] = state;
	if (cache->guesses)
		cache->guesses[line & cache->guess_mask] = (uint16_t)(way - cache_set(cache, line) *
										    cache->ways);
	if (cache->uses)
		cache->uses[way].touched = 0;
	cache_touch(cache, way);
}

/* Finds an evicted line in the shadow cache; NO_SHADOW: not present. */
static inline uint32_t cache_find_shadow(const struct cache *cache, uint64_t line)
{
	return cache->log ? shadow_cache_find(&cache->shadow, line) : NO_SHADOW;
}

/* Removes it from the shadow cache; uses it there. */
void cache_drop_shadow(struct cache *cache, uint32_t shadow_line);
void cache_touch_shadow(struct cache *cache, uint32_t shadow_line);

/* Removes an evicted line from the shadow cache, if present. */
static inline void cache_forget(struct cache *cache, uint64_t line)
{
	uint32_t shadow_line = cache_find_shadow(cache, line);

	if (shadow_line != NO_SHADOW)
		cache_drop_shadow(cache, shadow_line);
}

#endif
