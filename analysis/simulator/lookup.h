/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_LOOKUP_H
#define MEMSEARCH_SIMULATOR_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/hash.h"

/*
 * Rows found by a word: open addressing, in mapped memory that doubles, but takes no more than its budget. A row begins with
 * its key + 1 (0: free), so that keys are below UINT64_MAX. Rows move when one is added.
 */
#define LOOKUP_NEIGHBOURS 8

struct lookup {
	unsigned char *rows;
	size_t row_bytes, nr, room;      /* room: a power of two, or 0 */
	unsigned shift;                  /* 64 - log2(room) */
	size_t *budget;                  /* bytes that may still be mapped; NULL: any number */
};

void lookup_init(struct lookup *lookup, size_t row_bytes, size_t *budget);
void lookup_release(struct lookup *lookup);
size_t lookup_bytes(const struct lookup *lookup);
/* The new row, otherwise zero, of a key that is not there. NULL: no memory, or none left of the budget. */
void *lookup_add(struct lookup *lookup, uint64_t key);
/* As many rows again, without those that `keep` does not want. False: no memory, all is as it was. */
bool lookup_rebuild(struct lookup *lookup, size_t room, bool (*keep)(void *ctx, void *row), void *ctx);

static inline uint64_t lookup_key(const void *row)
{
	return *(const uint64_t *)row - 1;
}

static inline void *lookup_row(const struct lookup *lookup, size_t at)
{
	return lookup->rows + at * lookup->row_bytes;
}

/* Where a key belongs: neighbours are close together, as they will be asked for one after the other. */
static inline size_t lookup_place(const struct lookup *lookup, uint64_t key)
{
	return ((hash_word(key / LOOKUP_NEIGHBOURS) >> lookup->shift) + key % LOOKUP_NEIGHBOURS) & (lookup->room - 1);
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
