/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines were in a cache. */
#include "analysis/simulator/evictions.h"

void evictions_init(struct evictions *evictions, size_t budget)
{
	evictions->budget = budget;
	lookup_init(&evictions->rows, sizeof(struct evictions_row), &evictions->budget);
}

struct evictions_row *evictions_look_up(struct evictions *evictions, uint64_t line, bool add)
{
	uint64_t key = evictions_key(line);
	struct evictions_row *row = lookup_find(&evictions->rows, key);

	if (!row && add)
		row = lookup_add(&evictions->rows, key);
	if (row)
		evictions->recent[hash_place(line >> 6, EVICTIONS_RECENT_BITS)] = (uint32_t)(row - (struct evictions_row *)evictions->rows.rows);
	return row;
}
