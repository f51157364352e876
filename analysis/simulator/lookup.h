/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_LOOKUP_H
#define MEMSEARCH_SIMULATOR_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/hash.h"

/*
 * A hash table of rows with a word as key: open addressing, in mapped memory that doubles within
 * its budget. A row begins with its key + 1 (0: free), so that keys are below UINT64_MAX. Rows move
 * when one is added.
 */
#define LOOKUP_NEIGHBOURS 8

struct lookup {
	unsigned char *rows;
	size_t row_bytes, nr, room; /* room: a power of two, or 0 */
	unsigned shift;             /* 64 - log2(room) */
	size_t *budget;             /* bytes that may still be mapped; NULL: any number */
};

void lookup_init(struct lookup *lookup, size_t row_bytes, size_t *budget);
void lookup_release(struct lookup *lookup);
size_t lookup_bytes(const struct lookup *lookup);
/* Adds a row, otherwise zero, for a missing key. NULL: no memory, or none left of the budget. */
void *lookup_add(struct lookup *lookup, uint64_t key);
/* Doubles the table, without the rows that `keep` rejects. False: no memory, nothing changed. */
bool lookup_rebuild(struct lookup *lookup, size_t room, bool (*keep)(void *ctx, void *row),
		    void *ctx);

static inline uint64_t lookup_key(const void *row)
{
	return *(const uint64_t *)row - 1;
}

static inline void *lookup_row(const struct lookup *lookup, size_t at)
{
	return lookup->rows + at * lookup->row_bytes;
}

/* The place of a key: neighbouring keys are close together, as they are looked up in sequence. */
static inline size_t lookup_place(const struct lookup *lookup, uint64_t key)
{
	return ((hash_word(key / LOOKUP_NEIGHBOURS) >> lookup->shift) + key % LOOKUP_NEIGHBOURS) &
	       (lookup->room - 1);
}

static inline void *lookup_find(const struct lookup *lookup, uint64_t key)
{
	size_t at;

	if (!lookup->room)
		return NULL;
	for (at = lookup_place(lookup, key);; at = (at + 1) & (lookup->room - 1)) {
		uint64_t *row = lookup_row(lookup, at);

		if (*row == key + 1)
			return row;
		if (!*row)
			return NULL;
	}
}

#endif
