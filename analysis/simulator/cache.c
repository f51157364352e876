/* SPDX-License-Identifier: Apache-2.0 */
/* One set-associative cache, its order of use, and its fully associative shadow. */
#include "analysis/simulator/cache.h"

#include "analysis/simulator/cache_lines.h"
#include "analysis/simulator/cache_search.h"

#define LAST_CLOCK INT32_MAX
/* log entries per line: compaction then costs less than one step per access */
#define LOG_FACTOR 4
#define MIN_LOG 1024
#define LEAVING_AHEAD 16 /* log entries: about the host's memory latency */
#define MAX_GUESSES (1u << 16)

static uint32_t power_of_two(uint64_t least)
{
	uint32_t power = 1;

	while (power < least)
		power *= 2;
	return power;
}

static void set_due(struct cache *cache)
{
	cache->due = cache->log && cache->oldest < LAST_CLOCK - cache->log_mask
			     ? cache->oldest + cache->log_mask + 1
			     : LAST_CLOCK;
}

static bool shadow_init(struct cache *cache, struct space *space)
{
	uint32_t entries = power_of_two((uint64_t)cache->lines * LOG_FACTOR);

	entries = entries < MIN_LOG ? MIN_LOG : entries;
	cache->log_mask = entries - 1;
	cache->log = space_take(space, entries * sizeof(*cache->log));
	return shadow_cache_init(&cache->shadow, space, cache->lines) && cache->log;
}

static bool arrays_init(struct cache *cache, struct space *space, struct cache_needs needs)
{
	size_t lines = cache->lines;

	cache->tags = space_take(space, lines * sizeof(*cache->tags));
	cache->stamps = space_take(space, lines * sizeof(*cache->stamps));
	cache->states = space_take(space, lines);
	/* padding for comparisons of the last set */
	cache->partial_tags = space_take(space, lines + PARTIAL_TAGS);
	cache->guesses = needs.guesses ? space_take(space, ((size_t)cache->guess_mask + 1) *
								   sizeof(*cache->guesses))
				       : NULL;
	cache->outer = needs.outer ? space_take(space, lines * sizeof(*cache->outer)) : NULL;
	cache->uses = needs.uses ? space_take(space, lines * sizeof(*cache->uses)) : NULL;
	return cache->tags && cache->stamps && cache->states && cache->partial_tags &&
	       (!needs.guesses || cache->guesses) && (!needs.outer || cache->outer) &&
	       (!needs.uses || cache->uses);
}

bool cache_init(struct cache *cache, struct space *space, uint64_t lines, uint32_t ways,
		uint32_t line, enum model_replacement replacement, struct cache_needs needs)
{
	uint32_t guesses = power_of_two(lines * 4);

	cache->lines = cache->shadow_lines = (uint32_t)lines;
	cache->ways = ways;
	cache->sets = (uint32_t)(lines / ways);
	cache->set_mask = cache->sets & (cache->sets - 1) ? 0 : cache->sets - 1;
	cache->shift = (uint32_t)__builtin_ctz(line);
	cache->partial_tag_mask = ways < PARTIAL_TAGS ? (1u << ways) - 1 : (1u << PARTIAL_TAGS) - 1;
	cache->lru_way = lru_way_select(ways);
	cache->guess_mask = (guesses < MAX_GUESSES ? guesses : MAX_GUESSES) - 1;
	cache->clock = cache->oldest = 1;
	cache->newest = NO_WAY;
	if (!arrays_init(cache, space, needs) || (needs.shadow && !shadow_init(cache, space)))
		return false;
	if (replacement == MODEL_TREE_PLRU &&
	    !(cache->trees = space_take(space, cache->sets * sizeof(*cache->trees))))
		return false;
	set_due(cache);
	return true;
}

/* Searches the ways beyond the first PARTIAL_TAGS. */
uint32_t cache_search_on(const struct cache *cache, uint64_t line)
{
	uint32_t first = cache_set(cache, line) * cache->ways, end = first + cache->ways;
	uint8_t partial_tag = partial_tag_of(line);

	for (uint32_t at = first + PARTIAL_TAGS; at < end; at += PARTIAL_TAGS)
		for (uint32_t alike = partial_tags_equal(&cache->partial_tags[at], partial_tag);
		     alike; alike &= alike - 1) {
			uint32_t way = at + (uint32_t)__builtin_ctz(alike);

			if (way < end && cache->tags[way] == line + 1)
				return way;
		}
	return NO_WAY;
}

/*
 * Node 1 is the root, 2n and 2n + 1 are the halves of n; a bit that is set points to the upper
 * half.
 */
void cache_turn_tree(struct cache *cache, uint32_t way)
{
	uint64_t *tree = &cache->trees[way / cache->ways];
	uint32_t node = 1, in_set = way % cache->ways;

	for (uint32_t half = cache->ways / 2; half; half /= 2) {
		bool upper = in_set & half;

		*tree = upper ? *tree & ~(1ull << node) : *tree | 1ull << node;
		node = node * 2 + upper;
	}
}

uint32_t cache_tree_victim(const struct cache *cache, uint32_t set)
{
	uint64_t tree = cache->trees[set];
	uint32_t node = 1;

	while (node < cache->ways)
		node = node * 2 + (tree >> node & 1);
	return set * cache->ways + node - cache->ways;
}

void cache_remove(struct cache *cache, uint32_t way)
{
	cache->in_shadow -= cache->log && cache->stamps[way] >= cache->oldest;
	cache_empty(cache, way);
}

void cache_drop_shadow(struct cache *cache, uint32_t shadow_line)
{
	shadow_cache_remove(&cache->shadow, shadow_line);
	cache->in_shadow--;
}

void cache_touch_shadow(struct cache *cache, uint32_t shadow_line)
{
	uint32_t now = cache_tick(cache);

	cache->newest = NO_WAY;
	cache->shadow.all[shadow_line].stamp = now;
	cache->log[now & cache->log_mask] = SHADOW_MARK | shadow_line;
}

/* Whether the log entry of this stamp is valid: the line was neither used again nor invalidated. */
static bool is_last_use(const struct cache *cache, uint32_t entry, uint32_t stamp)
{
	return stamp == (entry & SHADOW_MARK ? cache->shadow.all[entry & ~SHADOW_MARK].stamp
					     : cache->stamps[entry]);
}

/* Prefetches the host data of a later log entry. */
static inline void expect_leaving(const struct cache *cache)
{
	uint32_t entry = cache->log[(cache->oldest + LEAVING_AHEAD) & cache->log_mask];

	__builtin_prefetch(entry & SHADOW_MARK
				   ? (const void *)&cache->shadow.all[entry & ~SHADOW_MARK]
				   : &cache->stamps[entry]);
}

/* Removes the oldest line of the shadow cache, which has one line too many. */
void cache_trim_shadow(struct cache *cache)
{
	while (cache->in_shadow > cache->shadow_lines) {
		uint32_t entry = cache->log[cache->oldest & cache->log_mask];

		expect_leaving(cache);
		if (is_last_use(cache, entry, cache->oldest)) {
			cache->in_shadow--;
			if (entry & SHADOW_MARK)
				shadow_cache_remove(&cache->shadow, entry & ~SHADOW_MARK);
		}
		cache->oldest++;
	}
}

/* The stamps in use move up to the clock, without gaps, in their order. */
static void compact_log(struct cache *cache)
{
	uint32_t to = cache->clock;

	for (uint32_t from = cache->clock; from-- > cache->oldest;) {
		uint32_t entry = cache->log[from & cache->log_mask];

		if (!is_last_use(cache, entry, from))
			continue;
		to--;
		cache->log[to & cache->log_mask] = entry;
		*(entry & SHADOW_MARK ? &cache->shadow.all[entry & ~SHADOW_MARK].stamp
				      : &cache->stamps[entry]) = to;
	}
	cache->oldest = to;
}

/* Stamps older than the shadow's become the ranks in their sets: 1 for the oldest. */
static void rank_set(struct cache *cache, uint32_t first)
{
	for (uint32_t rank = 1, before = 0; rank <= cache->ways; rank++) {
		uint32_t next = NO_WAY;

		for (uint32_t way = first; way < first + cache->ways; way++)
			if (cache->stamps[way] > before && cache->stamps[way] < cache->oldest &&
			    (next == NO_WAY || cache->stamps[way] < cache->stamps[next]))
				next = way;
		if (next == NO_WAY)
			return;
		before = cache->stamps[next];
		cache->stamps[next] = rank;
	}
}

static void shift_stamps(struct cache *cache, uint32_t by)
{
	for (uint32_t way = 0; way < cache->lines; way++)
		cache->stamps[way] -= cache->stamps[way] >= cache->oldest ? by : 0;
	for (uint32_t shadow_line = 0; cache->log && shadow_line < cache->shadow.used;
	     shadow_line++)
		cache->shadow.all[shadow_line].stamp -= cache->shadow.all[shadow_line].stamp ? by
											     : 0;
	cache->oldest -= by;
	cache->clock -= by;
}

/* The clock is about to overflow: renumbers all stamps from the lowest on. */
static void set_back(struct cache *cache)
{
	uint32_t least;

	cache->oldest = cache->log ? cache->oldest : cache->clock;
	for (uint32_t set = 0; set < cache->sets; set++)
		rank_set(cache, set * cache->ways);
	least = cache->ways + 1;
	if (cache->log) /* the log stays where it is */
		least += (cache->oldest - least) & cache->log_mask;
	shift_stamps(cache, cache->oldest - least);
}

void cache_tidy(struct cache *cache)
{
	set_due(cache); /* the oldest may have left */
	if (cache->clock < cache->due)
		return;
	if (cache->log)
		compact_log(cache);
	if (cache->clock > LAST_CLOCK - 2 * (cache->log_mask + 1) - 2)
		set_back(cache);
	set_due(cache);
}
