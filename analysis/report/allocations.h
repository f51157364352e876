/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ALLOCATIONS_H
#define MEMSEARCH_REPORT_ALLOCATIONS_H

#include "analysis/record/run.h"

/*
 * Where heap blocks were allocated, as a user would say it: not in a library's header or in a function that hands the memory on, but
 * where it is asked for; and where several arrays come from one line (a function that allocates, inlined here and there), in its
 * callers, which differ. What has no name gets that of the variable which the source assigns the memory to.
 */
struct sources;
void allocations_resolve(struct run *run, struct sources *sources);

#endif
