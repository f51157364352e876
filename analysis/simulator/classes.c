/* SPDX-License-Identifier: Apache-2.0 */
/* Why an access misses. */
#include "analysis/simulator/classes.h"

/* Taken from this level: the bytes of the access in the line tell. */
static enum simulator_class sharing_of(struct simulator *simulator, const struct core *core,
				       const struct access *access, unsigned level,
				       uint64_t address)
{
	uint64_t line_mask = (1ull << core->levels[level]->shift) - 1, first = address & ~line_mask,
		 last = address | line_mask;
	uint32_t holder = level == L3 ? simulator->threads + core->l3 : core->number;

	if ((access->address & ~line_mask) == first)
		first = access->address;
	if ((access->last | line_mask) == last)
		last = access->last;
	return directory_is_true_sharing(simulator, holder, first, last) ? CLASS_TRUE_SHARING
									 : CLASS_FALSE_SHARING;
}

enum simulator_class classes_of(struct simulator *simulator, struct core *core,
				const struct access *access, unsigned level, uint64_t address,
				bool in_shadow)
{
	struct cache *cache = core->levels[level];
	uint64_t line = address >> cache->shift;
	struct eviction_history_row *row = eviction_history_find(&cache->history, line, false);

	if (!row || !(row->seen & eviction_history_bit(line)))
		return cache->history.lost ? CLASS_CAPACITY : CLASS_COLD;
	if (row->taken & eviction_history_bit(line))
		return sharing_of(simulator, core, access, level, address);
	return in_shadow ? CLASS_CONFLICT : CLASS_CAPACITY;
}

void classes_expect(const struct cache *cache, uint64_t line)
{
	const struct lookup *rows = &cache->history.rows;

	if (rows->room)
		__builtin_prefetch(
			lookup_row(rows, lookup_place(rows, eviction_history_key(line))));
	if (cache->log)
		shadow_cache_expect(&cache->shadow, line);
}

void classes_returned(struct simulator *simulator, struct cache *cache,
		      struct eviction_history_row *row, uint64_t line)
{
	if (!row) {
		cache->history.lost++;
		return;
	}
	row->taken &= ~eviction_history_bit(line);
	directory_returned(simulator, line << cache->shift);
}
