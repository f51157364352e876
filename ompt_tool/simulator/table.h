/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_TABLE_H
#define MEMSEARCH_SIMULATOR_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/hash.h"

/*
 * Rows found by a word: open addressing, in mapped memory that doubles, but takes no more than its budget. A row begins with
 * its key + 1 (0: free), so that keys are below UINT64_MAX. Rows move when one is added.
 */
struct table {
	unsigned char *rows;
	size_t row_bytes, nr, room;      /* room: a power of two, or 0 */
	unsigned shift;                  /* 64 - log2(room) */
	size_t *budget;                  /* bytes that may still be mapped; NULL: any number */
};

void table_init(struct table *table, size_t row_bytes, size_t *budget);
void table_release(struct table *table);
size_t table_bytes(const struct table *table);
/* The new row, otherwise zero, of a key that is not there. NULL: no memory, or none left of the budget. */
void *table_add(struct table *table, uint64_t key);
/* As many rows again, without those that `keep` does not want. False: no memory, all is as it was. */
bool table_rebuild(struct table *table, size_t room, bool (*keep)(void *ctx, void *row), void *ctx);

static inline uint64_t table_key(const void *row)
{
	return *(const uint64_t *)row - 1;
}

static inline void *table_row(const struct table *table, size_t at)
{
	return table->rows + at * table->row_bytes;
}

static inline void *table_find(const struct table *table, uint64_t key)
{
	size_t at;

	if (!table->room)
		return NULL;
	for (at = hash_word(key) >> table->shift;; at = (at + 1) & (table->room - 1)) {
		uint64_t *row = table_row(table, at);

		if (*row == key + 1)
			return row;
		if (!*row)
			return NULL;
	}
}

#endif
