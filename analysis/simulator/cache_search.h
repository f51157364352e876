/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_CACHE_SEARCH_H
#define MEMSEARCH_SIMULATOR_CACHE_SEARCH_H

#include "analysis/simulator/cache.h"

/* Where a line is in a cache (cache.h). Nothing here changes the LRU order. */

/*
 * The way of the line, if it is present and where its guess says; else any way. Only with guesses.
 */
static inline uint32_t cache_guess(const struct cache *cache, uint64_t line)
{
	return cache_set(cache, line) * cache->ways + cache->guesses[line & cache->guess_mask];
}

uint32_t cache_search_on(const struct cache *cache, uint64_t line);

/*
 * Compares the ways whose partial_tag is the line's, few of which hold another line, among the
 * first PARTIAL_TAGS of the set that begins there.
 */
static inline uint32_t cache_search_first(const struct cache *cache, uint64_t line, uint32_t first,
					  uint8_t partial_tag)
{
	uint32_t alike = partial_tags_equal(&cache->partial_tags[first], partial_tag) &
			 cache->partial_tag_mask;

	for (; alike; alike &= alike - 1) {
		uint32_t way = first + (uint32_t)__builtin_ctz(alike);

		if (cache->tags[way] == line + 1)
			return way;
	}
	return NO_WAY;
}

static inline uint32_t cache_search_set(const struct cache *cache, uint64_t line, uint32_t first,
					uint8_t partial_tag)
{
	uint32_t way = cache_search_first(cache, line, first, partial_tag);

	return way == NO_WAY && __builtin_expect(cache->ways > PARTIAL_TAGS, 0)
		       ? cache_search_on(cache, line)
		       : way;
}

static inline uint32_t cache_search(const struct cache *cache, uint64_t line)
{
	return cache_search_set(cache, line, cache_set(cache, line) * cache->ways,
				partial_tag_of(line));
}

/* NO_WAY: not present. Does not change the LRU order. */
static inline uint32_t cache_find(struct cache *cache, uint64_t line)
{
	uint32_t way;

	if (!cache->guesses)
		return cache_search(cache, line);
	way = cache_guess(cache, line);
	if (cache->tags[way] == line + 1)
		return way;
	way = cache_search(cache, line);
	if (way != NO_WAY)
		cache->guesses[line & cache->guess_mask] = (uint16_t)(way - cache_set(cache, line) *
										    cache->ways);
	return way;
}

/* The same, with a likely way. */
static inline uint32_t cache_find_at(struct cache *cache, uint64_t line, uint32_t way)
{
	return __builtin_expect(cache->tags[way] == line + 1, 1) ? way : cache_find(cache, line);
}

/* Prefetches its set for a later look-up, as it is rarely in this host's caches. */
static inline void cache_expect(const struct cache *cache, uint64_t line)
{
	uint32_t first = cache_set(cache, line) * cache->ways;

	__builtin_prefetch(&cache->partial_tags[first]);
	__builtin_prefetch(&cache->stamps[first]);
	__builtin_prefetch(&cache->tags[first]);
	__builtin_prefetch(&cache->tags[first + cache->ways - 1]);
	__builtin_prefetch(&cache->states[first]);
}

#endif
