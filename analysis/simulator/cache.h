/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_CACHE_H
#define MEMSEARCH_SIMULATOR_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/machine/model.h"
#include "analysis/simulator/evictions.h"
#include "analysis/simulator/marks.h"
#include "analysis/simulator/oldest.h"
#include "analysis/simulator/space.h"
#include "analysis/simulator/twin.h"

/*
 * One set-associative cache (or TLB, whose lines are pages): which lines it holds, in which order they were used, and what is known of each.
 * It knows nothing of other caches. A way is its number in the whole cache: set × ways + way in the set.
 *
 * The order of use is a stamp a way, of the cache's own clock. The twin (rule 9) needs no list: it holds the lines whose stamp is `oldest` or later,
 * whether they are still in the cache or were displaced ("ghosts", twin.h); `log` says by stamp which line that is.
 *
 *      stamps:   …  oldest            clock
 *      log:      x  7  x  x  g2 x  5  ▲          7, 5: ways; g2: a ghost; x: used again since
 */
#define NO_WAY UINT32_MAX

enum cache_state {
	LINE_DIRTY = 1 << 0,
	LINE_OWNED = 1 << 1,             /* no other core holds it: it may be written without asking */
	LINE_PREFETCHED = 1 << 2,        /* and not looked for since */
	LINE_LEFT = 1 << 3,              /* the level inside had it, and has not got it any more; it may be so without that */
	LINE_WRITABLE = LINE_DIRTY | LINE_OWNED
};

struct line_use {                        /* see utilisation.h */
	uint64_t touched;                /* words */
	uint32_t slot;                   /* who brought it */
	uint32_t settled;                /* touched words that are counted already */
};

struct cache {
	uint64_t *tags;                  /* line + 1; 0: empty */
	uint8_t *marks;                  /* a byte of each line, to find those that are not it at once */
	uint16_t *guesses;               /* by the line's lower bits: the way of its set that it may be in; or NULL */
	uint32_t *stamps;                /* 0: empty */
	uint8_t *states;
	uint32_t *outer;                 /* the way of the next level that has it, or had; NULL: not kept */
	struct line_use *uses;           /* of lines whose utilisation is counted; else NULL */
	uint32_t *log;                   /* with a twin, else NULL */
	uint64_t *trees;                 /* by set, of PLRU; else NULL */
	oldest_function *oldest_of;
	uint32_t shift;                  /* log2 of the line */
	uint32_t mark_mask;              /* those of MARKS marks that are of one set */
	uint32_t guess_mask, log_mask;
	uint32_t clock, due;             /* due: the clock when it may have to be set back, or the log be full */
	uint32_t oldest, newest;         /* newest: the way used last, if its line is still there */
	uint32_t lines, ways, sets, set_mask;   /* set_mask: 0 if sets are no power of two */
	uint32_t in_twin, twin_lines;    /* twin_lines: at most */
	struct ghosts ghosts;            /* of the twin */
	struct evictions evictions;          /* with a twin */
	uint32_t number;                 /* of all caches */
};

struct cache_needs {
	bool twin, uses, outer, guesses; /* guesses: most lines asked for are there */
};

/* False: no memory. */
bool cache_init(struct cache *cache, struct space *space, uint64_t lines, uint32_t ways, uint32_t line, enum model_replacement replacement, struct cache_needs needs);

static inline uint32_t cache_set(const struct cache *cache, uint64_t line)
{
	return cache->set_mask || cache->sets == 1 ? (uint32_t)line & cache->set_mask : (uint32_t)(line % cache->sets);
}

static inline uint64_t cache_line(const struct cache *cache, uint32_t way)
{
	return cache->tags[way] - 1;
}

/* Where the line is, if it is there and was not displaced from its guess; else any way. Only where there are guesses. */
static inline uint32_t cache_guess(const struct cache *cache, uint64_t line)
{
	return cache_set(cache, line) * cache->ways + cache->guesses[line & cache->guess_mask];
}

uint32_t cache_search_on(const struct cache *cache, uint64_t line);

/* Ways whose mark is the line's are looked at, of which few are another's; of the first MARKS of the set whose first way that is. */
static inline uint32_t cache_search_first(const struct cache *cache, uint64_t line, uint32_t first, uint8_t mark)
{
	uint32_t alike = marks_alike(&cache->marks[first], mark) & cache->mark_mask;

	for (; alike; alike &= alike - 1) {
		uint32_t way = first + (uint32_t)__builtin_ctz(alike);

		if (cache->tags[way] == line + 1)
			return way;
	}
	return NO_WAY;
}

static inline uint32_t cache_search_set(const struct cache *cache, uint64_t line, uint32_t first, uint8_t mark)
{
	uint32_t way = cache_search_first(cache, line, first, mark);

	return way == NO_WAY && __builtin_expect(cache->ways > MARKS, 0) ? cache_search_on(cache, line) : way;
}

static inline uint32_t cache_search(const struct cache *cache, uint64_t line)
{
	return cache_search_set(cache, line, cache_set(cache, line) * cache->ways, mark_of(line));
}

/* NO_WAY: it is not there. Changes no order. */
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
		cache->guesses[line & cache->guess_mask] = (uint16_t)(way - cache_set(cache, line) * cache->ways);
	return way;
}

/* The same, of a line that is in this way, as a rule. */
static inline uint32_t cache_find_at(struct cache *cache, uint64_t line, uint32_t way)
{
	return __builtin_expect(cache->tags[way] == line + 1, 1) ? way : cache_find(cache, line);
}

/* The next level has the way's line there; NO_WAY: nobody knows where. */
static inline void cache_note_outer(struct cache *cache, uint32_t way, uint32_t outer)
{
	if (cache->outer && outer != NO_WAY)
		cache->outer[way] = outer;
}

/* Its set will soon be looked at: fetched meanwhile, as it is in no cache of this machine, most likely. */
static inline void cache_expect(const struct cache *cache, uint64_t line)
{
	uint32_t first = cache_set(cache, line) * cache->ways;

	__builtin_prefetch(&cache->marks[first]);
	__builtin_prefetch(&cache->stamps[first]);
	__builtin_prefetch(&cache->tags[first]);
	__builtin_prefetch(&cache->tags[first + cache->ways - 1]);
	__builtin_prefetch(&cache->states[first]);
}

void cache_turn_tree(struct cache *cache, uint32_t way);
uint32_t cache_tree_victim(const struct cache *cache, uint32_t set);
void cache_tidy(struct cache *cache);
void cache_trim_twin(struct cache *cache);

/* A tick of the clock, for what is used now. */
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
		if (++cache->in_twin > cache->twin_lines)
			cache_trim_twin(cache);
	}
}

/* The lowest empty way of the line's set, as its stamp is 0; else the oldest. */
static inline uint32_t cache_oldest(const struct cache *cache, uint64_t line)
{
	uint32_t first = cache_set(cache, line) * cache->ways;

	return first + cache->oldest_of(&cache->stamps[first], cache->ways);
}

/* Where a line that is not there goes: an empty way, or the one whose line has to go first. */
static inline uint32_t cache_victim(struct cache *cache, uint64_t line)
{
	uint32_t set = cache_set(cache, line), way = cache_oldest(cache, line);

	return cache->trees && cache->tags[way] ? cache_tree_victim(cache, set) : way;
}

/* Only its line is gone. */
static inline void cache_empty(struct cache *cache, uint32_t way)
{
	cache->tags[way] = 0;
	cache->stamps[way] = 0;
	cache->states[way] = 0;
	cache->newest = cache->newest == way ? NO_WAY : cache->newest;
}

/* The way's line is displaced: it stays in the twin, if it was. */
static inline void cache_displace(struct cache *cache, uint32_t way)
{
	uint32_t stamp = cache->stamps[way];

	if (cache->log && stamp >= cache->oldest)
		cache->log[stamp & cache->log_mask] = GHOST_MARK | ghosts_add(&cache->ghosts, cache_line(cache, way), stamp);
	cache_empty(cache, way);
}

/* The way's line is taken away: it leaves the twin, too. */
void cache_remove(struct cache *cache, uint32_t way);
/* The line enters a way, in place of what is there, of a cache that has no twin and knows nothing more of lines. When it is used is told later. */
static inline void cache_put(struct cache *cache, uint32_t way, uint64_t line)
{
	cache->tags[way] = line + 1;
	cache->marks[way] = mark_of(line);
	cache->guesses[line & cache->guess_mask] = (uint16_t)(way - cache_set(cache, line) * cache->ways);
}

/* The line enters an empty way, and is the newest. It is no ghost (cache_forget). */
static inline void cache_fill(struct cache *cache, uint32_t way, uint64_t line, uint8_t state)
{
	cache->tags[way] = line + 1;
	cache->marks[way] = mark_of(line);
	cache->states[way] = state;
	if (cache->guesses)
		cache->guesses[line & cache->guess_mask] = (uint16_t)(way - cache_set(cache, line) * cache->ways);
	if (cache->uses)
		cache->uses[way].touched = 0;
	cache_touch(cache, way);
}


/* A line that is not in the cache, in the twin; NO_GHOST: it is not there. */
static inline uint32_t cache_ghost(const struct cache *cache, uint64_t line)
{
	return cache->log ? ghosts_find(&cache->ghosts, line) : NO_GHOST;
}

/* It leaves the twin; it is used there. */
void cache_drop_ghost(struct cache *cache, uint32_t ghost);
void cache_touch_ghost(struct cache *cache, uint32_t ghost);

/* A line that is not in the cache leaves the twin, if it is there. */
static inline void cache_forget(struct cache *cache, uint64_t line)
{
	uint32_t ghost = cache_ghost(cache, line);

	if (ghost != NO_GHOST)
		cache_drop_ghost(cache, ghost);
}

#endif
