/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_PAIR_MAP_H
#define MEMSEARCH_COUNTING_PAIR_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/base/index_table.h"

/*
 * Hash map from pairs of numbers to numbers; grows in an arena. Empty when zeroed. One thread at a
 * time.
 */
struct arena;
struct pair_map_entry {
	uint64_t high, low;
	uint32_t value;
};
struct pair_map {
	struct pair_map_entry *entries;
	size_t nr, room;
	struct index_table index;
};

/* The value of the pair, 0 if it is new; valid until the next call. NULL: no memory. */
uint32_t *pair_map_value(struct arena *arena, struct pair_map *map, uint64_t high, uint64_t low);

#endif
