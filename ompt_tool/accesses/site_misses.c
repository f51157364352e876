/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated counters by region, site and data structure. */
#include "ompt_tool/accesses/site_misses.h"

#include <stddef.h>

#include "analysis/base/hash.h"
#include "analysis/base/reserve.h"
#include "analysis/simulation/values.h"

struct row { uint32_t region, site, array; struct simulator_counters counters; };

struct site_misses {
	uint32_t nr;
	uint32_t index[2 * SITE_MISSES_ROWS];    /* position in rows + 1; 0: free */
	struct row rows[SITE_MISSES_ROWS];
};

struct site_misses *site_misses_new(void)
{
	return reserve(sizeof(struct site_misses));
}

void site_misses_free(struct site_misses *table)
{
	reserve_undo(table, sizeof(*table));
}

/* The entry of the row, or the free one where it belongs: half of them are free. */
static uint32_t find(const struct site_misses *table, uint32_t region, uint32_t site, uint32_t array)
{
	uint32_t at = (uint32_t)(hash_word(hash_word((uint64_t)region << 32 | site) ^ array) >> 32);

	for (;; at++) {
		uint32_t number = table->index[at % (2 * SITE_MISSES_ROWS)];
		const struct row *row = number ? &table->rows[number - 1] : NULL;

		if (!row || (row->region == region && row->site == site && row->array == array))
			return at % (2 * SITE_MISSES_ROWS);
	}
}

bool site_misses_add(struct site_misses *table, uint32_t region, uint32_t site, uint32_t array, const struct simulator_counters *counters)
{
	uint32_t *entry = &table->index[find(table, region, site, array)];

	if (!*entry) {
		if (table->nr == SITE_MISSES_ROWS)
			return false;
		table->rows[table->nr] = (struct row){ region, site, array, *counters };
		*entry = ++table->nr;
		return true;
	}
	simulation_add(&table->rows[*entry - 1].counters, counters);
	return true;
}

const struct simulator_counters *site_misses_of(const struct site_misses *table, uint32_t region, uint32_t site, uint32_t array)
{
	uint32_t number = table->index[find(table, region, site, array)];

	return number ? &table->rows[number - 1].counters : NULL;
}
