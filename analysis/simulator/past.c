/* SPDX-License-Identifier: Apache-2.0 */
/* What once was in a cache. */
#include "analysis/simulator/past.h"

void past_init(struct lookup *lookup, size_t *budget)
{
	lookup_init(lookup, sizeof(struct past_row), budget);
}

struct past_row *past_look_up(struct lookup *lookup, struct past *past, uint32_t cache, uint64_t line, bool add)
{
	uint64_t key = past_key(cache, line);
	struct past_row *row = lookup_find(lookup, key);

	if (!row && add)
		row = lookup_add(lookup, key);
	if (row)
		past->recent[hash_place(line >> 6, PAST_RECENT_BITS)] = (uint32_t)(row - (struct past_row *)lookup->rows);
	return row;
}
