/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_PLACES_H
#define MEMSEARCH_REPORT_PLACES_H

#include <stdint.h>

#include "analysis/record/run.h"

/*
 * The NUMA node each thread of a run was on: the one on which it stayed, as metric `node` has it.
 * In a run that has not measured this, where it was last seen.
 */
struct arena;
struct places;

/* NULL: no memory */
const struct places *places_of(struct arena *arena, const struct run *run);
/* RUN_PLACE_UNKNOWN: not known, or it stayed on none. `places` may be NULL. */
uint32_t places_node(const struct places *places, uint32_t thread);

#endif
