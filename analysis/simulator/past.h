/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PAST_H
#define MEMSEARCH_SIMULATOR_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/simulator/lookup.h"

/*
 * What once was in a cache: which lines were ever there, and which of them left it because another core wrote to them (rule 9).
 * All caches keep it in one table, a row for 64 neighbouring lines of one cache.
 */
#define PAST_CACHES 1024              /* numbers of caches are below it */
#define PAST_RECENT_BITS 6

struct past {                         /* of one cache: where its last rows were */
	uint32_t recent[1 << PAST_RECENT_BITS];
};

struct past_row {
	uint64_t key;                    /* of lookup.h */
	uint64_t seen, taken;
};

void past_init(struct lookup *lookup, size_t *budget);
struct past_row *past_look_up(struct lookup *lookup, struct past *past, uint32_t cache, uint64_t line, bool add);

static inline uint64_t past_key(uint32_t cache, uint64_t line)
{
	return (line >> 6) * PAST_CACHES + cache;
}

static inline uint64_t past_bit(uint64_t line)
{
	return 1ull << (line & 63);
}

/* NULL: nothing is known of these lines; if `add`: and there was no room. */
static inline struct past_row *past_find(struct lookup *lookup, struct past *past, uint32_t cache, uint64_t line, bool add)
{
	uint32_t recent = past->recent[hash_place(line >> 6, PAST_RECENT_BITS)];
	struct past_row *row = recent < lookup->room ? (struct past_row *)lookup->rows + recent : NULL;

	return row && row->key == past_key(cache, line) + 1 ? row : past_look_up(lookup, past, cache, line, add);
}

#endif
