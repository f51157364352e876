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

#endif
