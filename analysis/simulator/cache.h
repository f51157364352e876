/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_CACHE_H
#define MEMSEARCH_SIMULATOR_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/machine/model.h"
#include "analysis/simulator/eviction_history.h"
#include "analysis/simulator/partial_tags.h"
#include "analysis/simulator/lru_way.h"
#include "analysis/simulator/space.h"
#include "analysis/simulator/shadow_cache.h"

/*
 * One set-associative cache (or TLB, whose lines are pages): its lines, their LRU order, and the
 * state of each. It does not refer to other caches. A way is numbered in the whole cache: set ×
 * ways + way in the set.
 *
 * The LRU order is a stamp per way, of the cache's own clock. The fully associative shadow cache
 * (rule 9) needs no list: it holds the lines whose stamp is `oldest` or later, whether they are
 * still in the cache or were evicted (then shadow_cache.h keeps them); `log` maps stamps to lines.
 *
 *      stamps:   …  oldest            clock
 *      log:      x  7  x  x  g2 x  5  ▲         7, 5: ways; g2: evicted line 2; x: used again since
 */
#define NO_WAY UINT32_MAX

enum cache_state {
	LINE_DIRTY = 1 << 0,
	/* no other core holds it: it may be written without a look-up */
	LINE_OWNED = 1 << 1,
	LINE_PREFETCHED = 1 << 2, /* and not accessed since */
	/* the inner level evicted it; it may be unset nevertheless */
	LINE_LEFT = 1 << 3,
	LINE_WRITABLE = LINE_DIRTY | LINE_OWNED
};

/* see utilisation.h */
struct line_use {
	uint64_t touched; /* words */
	uint32_t slot;    /* thread and slot that fetched it */
	uint32_t settled; /* touched words already counted */
};

struct cache {
	uint64_t *tags;        /* line + 1; 0: empty */
	uint8_t *partial_tags; /* a byte of each line, to exclude others quickly */
	/* by the line's lower bits: the likely way of its set; or NULL */
	uint16_t *guesses;
	uint32_t *stamps; /* 0: empty */
	uint8_t *states;
	/* the way of the next level that holds or held it; NULL: not kept */
	uint32_t *outer;
	struct line_use *uses; /* of lines whose utilisation is counted; else NULL */
	uint32_t *log;         /* with a shadow, else NULL */
	uint64_t *trees;       /* by set, of PLRU; else NULL */
	lru_way_function *lru_way;
	uint32_t shift;            /* log2 of the line */
	uint32_t partial_tag_mask; /* those of PARTIAL_TAGS tags that are of one set */
	uint32_t guess_mask, log_mask;
	/* due: the clock at which it may wrap, or the log may be full */
	uint32_t clock, due;
	uint32_t oldest, newest; /* newest: the way used last, if its line is still there */
	uint32_t lines, ways, sets, set_mask; /* set_mask: 0 if sets are no power of two */
	uint32_t in_shadow, shadow_lines;     /* shadow_lines: at most */
	struct shadow_cache shadow;           /* its evicted lines */
	struct eviction_history history;      /* with a shadow */
	uint32_t number;                      /* of all caches */
};

struct cache_needs {
	bool shadow, uses, outer, guesses; /* guesses: most lines looked up are there */
};

/* False: no memory. */
bool cache_init(struct cache *cache, struct space *space, uint64_t lines, uint32_t ways,
		uint32_t line, enum model_replacement replacement, struct cache_needs needs);

static inline uint32_t cache_set(const struct cache *cache, uint64_t line)
{
	return cache->set_mask || cache->sets == 1 ? (uint32_t)line & cache->set_mask
						   : (uint32_t)(line % cache->sets);
}

static inline uint64_t cache_line(const struct cache *cache, uint32_t way)
{
	return cache->tags[way] - 1;
}

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

/* The way of the next level that holds the way's line; NO_WAY: unknown. */
static inline void cache_note_outer(struct cache *cache, uint32_t way, uint32_t outer)
{
	if (cache->outer && outer != NO_WAY)
		cache->outer[way] = outer;
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

void cache_turn_tree(struct cache *cache, uint32_t way);
uint32_t cache_tree_victim(const struct cache *cache, uint32_t set);
void cache_tidy(struct cache *cache);
void cache_trim_shadow(struct cache *cache);

/* Advances the clock, for a use. */
static inline uint32_t cache_tick(struct cache *cache)
{
	if (__builtin_expect(cache->clock == cache->due, 0))
		cache_tidy(cache);
	return cache->clock++;
}

/* The line was used. */
static inline void cache_touch(struct cache *cache, uint32_t way)
{
	uint32_t now, before;

	if (cache->newest == way)
		return;
	now = cache_tick(cache);
	before = cache->stamps[way];
	cache->newest = way;
	cache->stamps[way] = now;
	if (cache->trees)
		cache_turn_tree(cache, way);
	if (!cache->log)
		return;
	cache->log[now & cache->log_mask] = way;
	if (__builtin_expect(before < cache->oldest, 0)) {
		if (++cache->in_shadow > cache->shadow_lines)
			cache_trim_shadow(cache);
	}
}

/* The lowest empty way of the line's set, as its stamp is 0; else the oldest. */
static inline uint32_t cache_lru_way(const struct cache *cache, uint64_t line)
{
	uint32_t first = cache_set(cache, line) * cache->ways;

	return first + cache->lru_way(&cache->stamps[first], cache->ways);
}

/* The way that a new line takes: an empty one, or the one to evict. */
static inline uint32_t cache_victim(struct cache *cache, uint64_t line)
{
	uint32_t set = cache_set(cache, line), way = cache_lru_way(cache, line);

	return cache->trees && cache->tags[way] ? cache_tree_victim(cache, set) : way;
}

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
