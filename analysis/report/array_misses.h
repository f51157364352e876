/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ARRAY_MISSES_H
#define MEMSEARCH_REPORT_ARRAY_MISSES_H

#include "analysis/record/run.h"

/*
 * What the accesses to each data structure miss on the modelled machine, in one execution of the phase, all regions and
 * threads together. Not here: by region and loop, which findings are about.
 */
struct arena;

struct array_misses {
	double accesses;                     /* 0: none was simulated */
	double missed[3];                    /* by level; accesses that it does not serve */
	double cold, capacity, conflict, true_sharing, false_sharing;    /* of those of the last cache a core has for itself */
	double local, remote, transfers;     /* lines from the memory of the own node and of others, and from other cores */
	double page_walks;
	double fetched, used;                /* bytes of lines brought, and of these touched */
	double cycles;                       /* waited if nothing overlaps */
};

/* [run->nr_arrays], in the arena; NULL: no memory. */
const struct array_misses *array_misses(struct arena *arena, const struct run *run);

#endif
