/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_ARRAY_PARTS_H
#define MEMSEARCH_TRACE_ARRAY_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/trace/blocks.h"

/*
 * Ranges of arrays that are counted and simulated as separate arrays: bytes [low, high) of each
 * block of `array` belong to the array `part`.
 *
 *     block of u   ├────────────┬─────────────────┬──────────────────┤
 *     offset       0           low              high              bytes
 *     array              u            part                 u
 */
struct array_part {
	uint32_t array, part;
	uint64_t low, high;
};

struct array_parts {
	const struct array_part *items;
	size_t nr;
}; /* disjoint */

/* Narrows the place of an address from its block to its part, or to the gap between two parts. */
void array_parts_narrow(const struct array_parts *parts, struct array_place *place);

/*
 * Addresses [at[i - 1], at[i]), at any time, as separate arrays: one for each of the `arrays`, and
 * one for memory in none. Addresses before the first cut or after the last one are unchanged.
 */
/* strictly ascending */
struct address_cuts {
	const uint64_t *at;
	size_t nr;
	uint32_t arrays;
};

void address_cuts_narrow(const struct address_cuts *cuts, uint64_t address,
			 struct array_place *place);
/*
 * The array that the number is a part of, ARRAY_NONE: memory in none; and the number of the cut at
 * its end, 0: not a part.
 */
uint32_t address_cuts_array(const struct address_cuts *cuts, uint32_t number, size_t *cut_out);

#endif
