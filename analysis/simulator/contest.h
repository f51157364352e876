/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_CONTEST_H
#define MEMSEARCH_SIMULATOR_CONTEST_H

#include "analysis/simulator/state.h"

/* Counts contested accesses of a time slice (rule 14), before or after it is simulated. No effect with one core. */
void contest_alone(struct simulator *simulator, struct core *core, const struct simulator_walk *walks, uint32_t nr);
/* Of a group, from the access of run `next` in that round on. */
void contest_group(struct simulator *simulator, struct core *core, const struct simulator_walk *group, uint64_t round, uint32_t next, uint32_t accesses);

#endif
