/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_EVICTION_HISTORY_H
#define MEMSEARCH_SIMULATOR_EVICTION_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/simulator/lookup.h"

/*
 * Eviction history of one cache that classifies misses: which lines were ever in it, and which of
 * them another core's write invalidated (rule 9). A row for 64 neighbouring lines.
 */
#define EVICTION_HISTORY_RECENT_BITS 6

struct eviction_history {
	struct lookup rows;
	size_t budget; /* bytes that may still be mapped for it */
	uint64_t lost; /* lines without room */
	/* rows looked up last, by hash_place */
	uint32_t recent[1 << EVICTION_HISTORY_RECENT_BITS];
};

struct eviction_history_row {
	uint64_t key; /* of lookup.h */
	uint64_t seen, taken;
};

void eviction_history_init(struct eviction_history *history, size_t budget);
struct eviction_history_row *eviction_history_look_up(struct eviction_history *history,
						      uint64_t line, bool add);

static inline uint64_t eviction_history_key(uint64_t line)
{
	return line >> 6;
}

static inline uint64_t eviction_history_bit(uint64_t line)
{
	return 1ull << (line & 63);
}

/* NULL: no history of these lines; with `add`: there is no room. */
static inline struct eviction_history_row *eviction_history_find(struct eviction_history *history,
								 uint64_t line, bool add)
{
	uint32_t recent = history->recent[hash_place(line >> 6, EVICTION_HISTORY_RECENT_BITS)];
	struct eviction_history_row *row =
		recent < history->rows.room
			? (struct eviction_history_row *)history->rows.rows + recent
			: NULL;

	return row && row->key == eviction_history_key(line) + 1
		       ? row
		       : eviction_history_look_up(history, line, add);
}

#endif
