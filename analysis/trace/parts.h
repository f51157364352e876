/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_PARTS_H
#define MEMSEARCH_TRACE_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/trace/blocks.h"

/*
 * Ranges of arrays that are counted and simulated as arrays of their own: bytes [low, high) of each block of `array` are of the array `part`.
 *
 *     block of u   ├────────────┬─────────────────┬──────────────────┤
 *     offset       0           low              high              bytes
 *     array              u            part                 u
 */
struct array_part { uint32_t array, part; uint64_t low, high; };

struct array_parts { const struct array_part *items; size_t nr; };       /* none meets another */

/* Narrows the place of an address from its block to the part it is in, or to what lies between two parts. */
void array_parts_narrow(const struct array_parts *parts, struct array_place *place);

/*
 * Addresses [at[i - 1], at[i]), whatever lies there at a time, as arrays of their own: one for each of the `arrays` and one for memory in none. What is
 * before the first cut or behind the last one stays as it is.
 */
struct address_cuts { const uint64_t *at; size_t nr; uint32_t arrays; };         /* ascending, each once */

void address_cuts_narrow(const struct address_cuts *cuts, uint64_t address, struct array_place *place);
/* Of which array it is a part, ARRAY_NONE: of memory in none; and the number of the cut at its end, 0: it is none of theirs. */
uint32_t address_cuts_array(const struct address_cuts *cuts, uint32_t number, size_t *cut_out);

#endif
