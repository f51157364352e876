/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_TOUCHED_PAGES_H
#define MEMSEARCH_NUMA_TOUCHED_PAGES_H

#include <stdint.h>

/* Who touched the pages of arrays first, from the ranges of a run's touches (run.h). */
struct arena;
struct run;
struct run_touch;
struct touched_pages;

/* NULL: no memory. In the arena; points into the run. */
const struct touched_pages *touched_pages(struct arena *arena, const struct run *run);
/*
 * The first touch of the page with that address of the program; NULL: not known. `array`: number in the
 * run, of a range of an array also.
 */
const struct run_touch *touched_pages_at(const struct touched_pages *pages, uint32_t array,
					 uint64_t address);

#endif
