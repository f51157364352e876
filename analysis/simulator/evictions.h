/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_EVICTIONS_H
#define MEMSEARCH_SIMULATOR_EVICTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/simulator/lookup.h"

/* Eviction history of one cache that classifies misses: which lines were ever in it, and which of them another core's write invalidated (rule 9). A row for 64 neighbouring lines. */
#define EVICTIONS_RECENT_BITS 6

struct evictions {
	struct lookup rows;
	size_t budget;                   /* bytes that may still be mapped for it */
	uint64_t lost;                   /* lines without room */
	uint32_t recent[1 << EVICTIONS_RECENT_BITS];       /* rows looked up last, by hash_place */
};

struct evictions_row {
	uint64_t key;                    /* of lookup.h */
	uint64_t seen, taken;
};

void evictions_init(struct evictions *evictions, size_t budget);
struct evictions_row *evictions_look_up(struct evictions *evictions, uint64_t line, bool add);

static inline uint64_t evictions_key(uint64_t line)
{
	return line >> 6;
}

static inline uint64_t evictions_bit(uint64_t line)
{
	return 1ull << (line & 63);
}

/* NULL: no history of these lines; with `add`: there is no room. */
static inline struct evictions_row *evictions_find(struct evictions *evictions, uint64_t line, bool add)
{
	uint32_t recent = evictions->recent[hash_place(line >> 6, EVICTIONS_RECENT_BITS)];
	struct evictions_row *row = recent < evictions->rows.room ? (struct evictions_row *)evictions->rows.rows + recent : NULL;

	return row && row->key == evictions_key(line) + 1 ? row : evictions_look_up(evictions, line, add);
}

#endif
