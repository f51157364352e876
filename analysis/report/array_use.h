/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ARRAY_USE_H
#define MEMSEARCH_REPORT_ARRAY_USE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * What recorded code does with each data structure in one execution of the phase, all regions
 * together: by thread, by region, by stride. Not here: by line (access_groups.h), and who touched it
 * first (arrays.h).
 */
struct arena;

struct array_thread {
	uint32_t thread;
	double reads, writes, bytes;
};
/*
 * The construct that uses it, what that moves, and the innermost natural loop of it that moves nine
 * tenths of this; MS_REGION_NONE: none does.
 */
struct array_region {
	uint32_t region, loop;
	double bytes;
};
/* and what is moved by it; 0: the same place again */
struct array_stride {
	double stride, bytes;
};

struct array_use {
	double reads, writes, bytes; /* of all threads; bytes: read and written */
	size_t nr_threads;           /* that use it, ascending */
	struct array_thread *threads;
	/* the one with the most first; 0: no recorded code uses it */
	size_t nr_regions;
	struct array_region *regions;
	/* the one with the most first; the rest keeps to none */
	size_t nr_strides;
	struct array_stride *strides;
};

/*
 * [run->nr_regions]: executions in one execution of the phase while accesses were recorded; 0: none
 * was recorded completely. NULL: no memory.
 */
const double *array_use_rates(struct arena *arena, const struct run *run);
/* [run->nr_arrays], in the arena, by array_use_rates; NULL: no memory. */
const struct array_use *array_uses(struct arena *arena, const struct run *run, const double *rates);

/*
 * Part of all bytes moved: stacks with less are left out of texts, as what a compiler keeps there
 * has no name, and is in the first-level cache; so is what is smaller than a page.
 */
#define ARRAY_USE_STACK_SHARE 0.1

#endif
