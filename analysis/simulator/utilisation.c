/* SPDX-License-Identifier: Apache-2.0 */
/* Which words of fetched lines are used. */
#include "analysis/simulator/utilisation.h"

#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/interleaving.h"

/*
 * Lines of L1 in one of the outer cache's, as bits of that one's words: calls back for each that L1
 * holds.
 */
#define FOR_LINES_INSIDE(inner, outer, way, line, shift_bits, inner_way) \
	for (uint64_t line = cache_line(outer, way) << ((outer)->shift - (inner)->shift), \
		      end_ = line + (1ull << ((outer)->shift - (inner)->shift)), shift_bits = 0; \
	     line < end_; line++, shift_bits += 1ull << ((inner)->shift - 2)) \
		if ((inner_way = cache_find((inner), line)) != NO_WAY)

/* Words touched in a line, up to now. */
static uint64_t *touched(const struct core *core, const struct cache *cache, uint32_t way)
{
	if (core->interleaving)
		interleaving_store_touched(core->interleaving, cache, way);
	return &cache->uses[way].touched;
}

/* Words of an outer line that were touched in L1. */
static void collect(struct core *core, uint32_t way)
{
	struct cache *inner = core->levels[L1], *outer = core->levels[L2];
	uint32_t found;

	FOR_LINES_INSIDE(inner, outer, way, line, bits, found)
	outer->uses[way].touched |= *touched(core, inner, found) << bits;
}

static void count_used(struct core *core, struct line_use *use)
{
	uint32_t words = (uint32_t)__builtin_popcountll(use->touched);

	if (use->slot != NOBODY)
		core->counters[use->slot].used_bytes += (uint64_t)(words - use->settled) *
							UTILISATION_WORD;
	use->settled = words;
}

void utilisation_entered(struct simulator *simulator, struct core *core, uint32_t way,
			 uint32_t slot)
{
	struct cache *cache = core->levels[simulator->last_private], *inner = core->levels[L1];
	uint32_t found;

	cache->uses[way].slot = slot;
	cache->uses[way].settled = 0;
	core->counters[slot].fetched_bytes += 1ull << cache->shift;
	if (simulator->last_private == L1)
		return;
	FOR_LINES_INSIDE(inner, cache, way, line, bits, found)
	*touched(core, inner, found) = 0;
}

static void merge_outwards(struct core *core, uint32_t way)
{
	struct cache *inner = core->levels[L1], *outer = core->levels[L2];
	uint64_t line = cache_line(inner, way);
	unsigned wider = outer->shift - inner->shift;
	uint32_t found = cache_find_at(outer, line >> wider, inner->outer[way]);

	if (found != NO_WAY)
		outer->uses[found].touched |= *touched(core, inner, way)
					      << ((line & ((1ull << wider) - 1))
						  << (inner->shift - 2));
}

void utilisation_leaves(struct simulator *simulator, struct core *core, unsigned level,
			uint32_t way)
{
	if (level < simulator->last_private) {
		merge_outwards(core, way);
		return;
	}
	touched(core, core->levels[level], way);
	if (level == L2)
		collect(core, way);
	count_used(core, &core->levels[level]->uses[way]);
}

void utilisation_settle(struct simulator *simulator)
{
	for (uint32_t thread = 0; thread < simulator->threads; thread++) {
		struct core *core = &simulator->cores[thread];
		struct cache *cache = core->levels[simulator->last_private];

		for (uint32_t way = 0; core->used_counters && way < cache->lines; way++)
			if (cache->tags[way])
				utilisation_leaves(simulator, core, simulator->last_private, way);
	}
}

void utilisation_forget(struct cache *cache)
{
	for (uint32_t way = 0; way < cache->lines; way++)
		cache->uses[way].slot = NOBODY;
}
