/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CONTROL_EQUIVALENCE_H
#define MEMSEARCH_CLONES_CONTROL_EQUIVALENCE_H

#include <stdint.h>

/*
 * The recorded accesses that show whether a call was reached: those of its block or of a
 * control-equivalent block; else those of the nearest dominator in the same loop, which show
 * whether it may have been reached. Calls themselves are not recorded, as most lead to other
 * copies.
 */
struct copy;
struct graph;

/*
 * Sets the sites of every exit of the copy. `first_sites` (nr_blocks + 1): number of the first site
 * of each block. Without a suitable block all sites of the copy are used.
 */
void control_equivalence_find(const struct graph *graph, const uint32_t *first_sites,
			      struct copy *copy);

#endif
