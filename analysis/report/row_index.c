/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts rows of a table by a number in each: a counting sort. */
#include "analysis/report/row_index.h"

#include <string.h>

#include "analysis/base/arena.h"

static uint32_t number_of(const void *table, size_t row, size_t size, size_t at)
{
	uint32_t number;

	memcpy(&number, (const char *)table + row * size + at, sizeof(number));
	return number;
}

bool row_index_init(struct row_index *index, struct arena *arena, const void *table, size_t nr,
		    size_t size, size_t at, size_t numbers)
{
	/* one more than there are: counts become ends, and these the begins of the next */
	uint32_t *first = arena_alloc(arena, (numbers + 2) * sizeof(*first));
	uint32_t *rows = arena_alloc(arena, (nr + 1) * sizeof(*rows));

	if (!first || !rows)
		return false;
	for (size_t i = 0; i < nr; i++) {
		uint32_t number = number_of(table, i, size, at);

		if (number < numbers)
			first[number + 2]++;
	}
	for (size_t i = 2; i < numbers + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < nr; i++) {
		uint32_t number = number_of(table, i, size, at);

		if (number < numbers)
			rows[first[number + 1]++] = (uint32_t)i;
	}
	*index = (struct row_index){ rows, first };
	return true;
}
