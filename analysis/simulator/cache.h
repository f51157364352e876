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

/* The way of the next level that holds the way's line; NO_WAY: unknown. */
static inline void cache_note_outer(struct cache *cache, uint32_t way, uint32_t outer)
{
	if (cache->outer && outer != NO_WAY)
		cache->outer[way] = outer;
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

#endif
