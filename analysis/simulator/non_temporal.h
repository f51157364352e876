/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_NON_TEMPORAL_H
#define MEMSEARCH_SIMULATOR_NON_TEMPORAL_H

#include "analysis/simulator/access.h"
#include "analysis/simulator/state.h"

/* A non-temporal write, which bypasses all caches (rule 12). */
void non_temporal_write(struct simulator *simulator, struct core *core, struct access *access);

#endif
