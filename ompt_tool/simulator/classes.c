/* SPDX-License-Identifier: Apache-2.0 */
/* Why an access misses. */
#include "ompt_tool/simulator/classes.h"

enum simulator_class classes_of(struct simulator *simulator, struct core *core, unsigned level, uint64_t first, uint64_t last, bool in_twin)
{
	struct cache *cache = core->levels[level];
	uint64_t line = first >> cache->shift;
	struct past_row *past = past_find(&simulator->pasts, &cache->past, cache->number, line, false);
	uint32_t holder = level == L3 ? simulator->threads + core->l3 : core->number;

	if (!past || !(past->seen & past_bit(line)))
		return simulator->lost ? CLASS_CAPACITY : CLASS_COLD;
	if (past->taken & past_bit(line))
		return directory_is_true_sharing(simulator, holder, first, last) ? CLASS_TRUE_SHARING : CLASS_FALSE_SHARING;
	return in_twin ? CLASS_CONFLICT : CLASS_CAPACITY;
}

void classes_expect(const struct simulator *simulator, const struct cache *cache, uint64_t line)
{
	if (simulator->pasts.room)
		__builtin_prefetch(lookup_row(&simulator->pasts, lookup_place(&simulator->pasts, past_key(cache->number, line))));
	ghosts_expect(&cache->ghosts, line);
}

void classes_entered(struct simulator *simulator, struct cache *cache, uint64_t line)
{
	struct past_row *past = past_find(&simulator->pasts, &cache->past, cache->number, line, true);

	if (!past) {
		simulator->lost++;
		return;
	}
	past->seen |= past_bit(line);
	if (!(past->taken & past_bit(line)))
		return;
	past->taken &= ~past_bit(line);
	directory_returned(simulator, line << cache->shift);
}
