/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_MEASURED_PAGES_H
#define MEMSEARCH_NUMA_MEASURED_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * Where the kernel had the pages of arrays on the machine that the program ran on (run->placements),
 * by array and by node. Numbers of nodes are the kernel's. Not here: modelled machines (ranking.h).
 */
struct arena;

struct numa_measured_array {
	uint32_t array;                    /* number in the run */
	const struct run_placement *first; /* NULL: there is one answer */
	const struct run_placement *last;
	uint64_t pages; /* all; a page that was asked for stands for its neighbours */
	uint64_t placed, untouched, unmapped, unknown;
	uint64_t *nodes;   /* pages by node */
	uint32_t most;     /* the node with most */
	double most_share; /* of the placed ones; NAN: none is */
	double error;      /* of shares, half of the 95 % interval at most; 0: all were asked for */
	double moved;      /* part on another node than at the first answer; NAN: not known */
	double moves;      /* by page, seen between queries; NAN: there was one query */
	double huge;       /* part in larger pages; NAN: not known */
};

struct numa_measured {
	const struct run *run;
	const char *why; /* why nothing, or not all, is known; NULL: it is */
	uint32_t nodes;  /* numbers of nodes are below */
	uint64_t *pages; /* of all arrays, by node */
	uint64_t placed;
	/*
	 * (most - mean) / mean over the machine's nodes, of the pages of all arrays: 0 balanced, nodes
	 * - 1 all on one; NAN: none is placed
	 */
	double imbalance;
	size_t nr;
	struct numa_measured_array *arrays; /* most placed pages first */
};

/* NULL: no memory. In the arena; points to the run. */
const struct numa_measured *numa_measured(struct arena *arena, const struct run *run);

#endif
