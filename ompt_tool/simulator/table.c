/* SPDX-License-Identifier: Apache-2.0 */
/* Rows found by a word, in mapped memory with a budget. */
#define _DEFAULT_SOURCE
#include "ompt_tool/simulator/table.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_ROOM 256

void table_init(struct table *table, size_t row_bytes, size_t *budget)
{
	*table = (struct table){ .row_bytes = row_bytes, .budget = budget };
}

size_t table_bytes(const struct table *table)
{
	return table->room * table->row_bytes;
}

void table_release(struct table *table)
{
	if (table->room)
		munmap(table->rows, table_bytes(table));
	if (table->budget)
		*table->budget += table_bytes(table);
	table->rows = NULL;
	table->nr = table->room = 0;
}

static bool grown(const struct table *table, size_t room, struct table *grown_out)
{
	*grown_out = *table;
	grown_out->nr = 0;
	grown_out->room = room;
	grown_out->shift = 64 - (unsigned)__builtin_ctzll(room);
	if (table->budget && *table->budget < room * table->row_bytes)
		return false;
	grown_out->rows = mmap(NULL, room * table->row_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (grown_out->rows == MAP_FAILED)
		return false;
	if (table->budget)
		*table->budget -= room * table->row_bytes;
	return true;
}

static void *place(struct table *table, uint64_t key)
{
	size_t at = hash_word(key) >> table->shift;

	while (*(uint64_t *)table_row(table, at))
		at = (at + 1) & (table->room - 1);
	table->nr++;
	*(uint64_t *)table_row(table, at) = key + 1;
	return table_row(table, at);
}

bool table_rebuild(struct table *table, size_t room, bool (*keep)(void *ctx, void *row), void *ctx)
{
	struct table next;

	if (!grown(table, room, &next))
		return false;
	for (size_t at = 0; at < table->room; at++) {
		uint64_t *row = table_row(table, at);

		if (*row && (!keep || keep(ctx, row)))
			memcpy(place(&next, *row - 1), row, table->row_bytes);
	}
	table_release(table);
	*table = next;
	return true;
}

void *table_add(struct table *table, uint64_t key)
{
	if (table->nr >= table->room / 2 && !table_rebuild(table, table->room ? table->room * 2 : FIRST_ROOM, NULL, NULL) &&
	    table->nr >= table->room - table->room / 8)
		return NULL;
	return place(table, key);
}
