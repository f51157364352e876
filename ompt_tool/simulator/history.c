/* SPDX-License-Identifier: Apache-2.0 */
/* What once was in a cache. */
#include "ompt_tool/simulator/history.h"

void history_init(struct table *table, size_t *budget)
{
	table_init(table, sizeof(struct history_row), budget);
}

struct history_row *history_find(struct table *table, struct history *history, uint32_t cache, uint64_t line, bool add)
{
	uint64_t key = (line >> 6) * HISTORY_CACHES + cache;
	uint32_t *recent = &history->recent[(line >> 6) % HISTORY_RECENT];
	struct history_row *row;

	if (*recent < table->room) {
		row = table_row(table, *recent);
		if (row->key == key + 1)
			return row;
	}
	row = table_find(table, key);
	if (!row && add)
		row = table_add(table, key);
	if (row)
		*recent = (uint32_t)(row - (struct history_row *)table->rows);
	return row;
}
