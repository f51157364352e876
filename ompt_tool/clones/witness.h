/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_WITNESS_H
#define MEMSEARCH_CLONES_WITNESS_H

#include <stdint.h>

/*
 * Which recorded accesses tell that a call was reached: those of its block, or of one that is executed whenever it is,
 * as the only way from one to the other; else those of the nearest block that each way to it leads through, in the same loop, which
 * tell whether it may have been. Calls are not recorded themselves, as most lead to other copies.
 */
struct copy;
struct graph;

/*
 * For every exit of the copy, by its block. `first_sites`: number of the first site of each block, or of what comes behind it,
 * nr_blocks + 1. Where no block tells, all of the copy's sites do, as near as can be known.
 */
void witness_find(const struct graph *graph, const uint32_t *first_sites, struct copy *copy);

#endif
