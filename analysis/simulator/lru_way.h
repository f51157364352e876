/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_LRU_WAY_H
#define MEMSEARCH_SIMULATOR_LRU_WAY_H

#include <stdint.h>

/*
 * The first of the smallest stamps of a set: needed for most misses, so that vector instructions
 * are used where the processor has them. Stamps are below 2^31.
 */
typedef uint32_t lru_way_function(const uint32_t *stamps, uint32_t ways);

/* On any processor, for any number of ways. */
lru_way_function lru_way_portable;
/* The fastest version of this processor for this number of ways. */
lru_way_function *lru_way_select(uint32_t ways);

#endif
