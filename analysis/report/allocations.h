/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ALLOCATIONS_H
#define MEMSEARCH_REPORT_ALLOCATIONS_H

#include "analysis/record/run.h"

/*
 * Allocation sites of heap blocks for the user: not in a library's header or in a function that
 * returns the memory, but at its caller; and if several arrays come from one line (an inlined
 * allocation function), in its callers, which differ. Unnamed blocks get the name of the variable
 * to which the source assigns the memory.
 */
struct arena;
struct sources;
/* names in `arena` */
void allocations_resolve(struct arena *arena, struct run *run, struct sources *sources);

#endif
