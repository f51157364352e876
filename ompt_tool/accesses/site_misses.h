/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_SITE_MISSES_H
#define MEMSEARCH_ACCESSES_SITE_MISSES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/simulator/simulator.h"

/*
 * What the modelled machine counted for each site and data structure in each region, over all that was simulated in the run:
 * the simulator's own counters are of one execution of the phase, and its slots know serial stretches by their order only.
 * At phase boundaries.
 */
#define SITE_MISSES_ROWS 16384           /* 5 MiB, as far as they are in use */

struct site_misses;

/* NULL: no memory. Never freed. */
struct site_misses *site_misses_new(void);
void site_misses_free(struct site_misses *table);         /* NULL is allowed */
/* False: all rows are taken, nothing was added. */
bool site_misses_add(struct site_misses *table, uint32_t region, uint32_t site, uint32_t array, const struct simulator_counters *counters);
/* NULL: none. */
const struct simulator_counters *site_misses_of(const struct site_misses *table, uint32_t region, uint32_t site, uint32_t array);

#endif
