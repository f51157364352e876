/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_MAP_H
#define MEMSEARCH_COUNTING_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From pairs of numbers to numbers; grows in an arena. Empty when zeroed. One thread at a time. */
struct arena;
struct map_entry { uint64_t high, low; uint32_t value; bool used; };
struct map { struct map_entry *entries; size_t nr, room; };

/* Where the value of the pair is, 0 if it is new. NULL: no memory. Until the next call. */
uint32_t *map_value(struct arena *arena, struct map *map, uint64_t high, uint64_t low);

#endif
