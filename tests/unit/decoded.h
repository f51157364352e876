/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_DECODED_H
#define TESTS_UNIT_DECODED_H

#include <string.h>

#include "ompt_tool/accesses/decoding.h"

/*
 * Counts words of a buffer in the table, as the accesses sensor does, or passes them over; of one
 * table at a time.
 */
static inline void decode_into(struct access_table *table, const uint64_t *words, size_t nr,
			       bool passing)
{
	static struct decoding decoding;

	if (decoding.table != table)
		memset(&decoding, 0, sizeof(decoding));
	table->world = &decoding_world;
	decoding.table = table;
	access_table_note(table, nr, passing ? 0 : nr);
	if (!passing)
		decode(&decoding, words, nr);
}

static inline void decoded(struct access_table *table, const uint64_t *words, size_t nr)
{
	decode_into(table, words, nr, false);
}

#endif
