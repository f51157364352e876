/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_CLASSES_H
#define MEMSEARCH_SIMULATOR_CLASSES_H

#include "analysis/simulator/state.h"

/*
 * Why the access misses the line of this address in that level (rule 9); `in_twin`: the level's twin has it. Before it changes
 * anything.
 */
enum simulator_class classes_of(struct simulator *simulator, struct core *core, const struct access *access, unsigned level, uint64_t address, bool in_twin);
/* What that will look at is fetched from this machine's memory meanwhile. */
void classes_expect(const struct simulator *simulator, const struct cache *cache, uint64_t line);
/* The cache has a line again that was taken from it; `past` NULL: there was no room for what once was in it. */
void classes_returned(struct simulator *simulator, const struct cache *cache, struct past_row *past, uint64_t line);

/* The cache has the line now. */
static inline void classes_entered(struct simulator *simulator, struct cache *cache, uint64_t line)
{
	struct past_row *past = past_find(&simulator->pasts, &cache->past, cache->number, line, true);

	if (past)
		past->seen |= past_bit(line);
	if (__builtin_expect(!past || past->taken & past_bit(line), 0))
		classes_returned(simulator, cache, past, line);
}

#endif
