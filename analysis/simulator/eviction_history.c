/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines were in a cache. */
#include "analysis/simulator/eviction_history.h"

void eviction_history_init(struct eviction_history *history, size_t budget)
{
	history->budget = budget;
	lookup_init(&history->rows, sizeof(struct eviction_history_row), &history->budget);
}

struct eviction_history_row *eviction_history_look_up(struct eviction_history *history,
						      uint64_t line, bool add)
{
	uint64_t key = eviction_history_key(line);
	struct eviction_history_row *row = lookup_find(&history->rows, key);

	if (!row && add)
		row = lookup_add(&history->rows, key);
	if (row)
		history->recent[hash_place(line >> 6, EVICTION_HISTORY_RECENT_BITS)] =
			(uint32_t)(row - (struct eviction_history_row *)history->rows.rows);
	return row;
}
