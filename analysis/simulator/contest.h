/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_CONTEST_H
#define MEMSEARCH_SIMULATOR_CONTEST_H

#include "analysis/simulator/state.h"

/* What a core accesses in a turn, counted where it is contested (rule 14): before it runs, or after. Nothing where the core is the only one. */
void contest_alone(struct simulator *simulator, struct core *core, const struct simulator_walk *walks, uint32_t nr);
/* Of a group, from the access of that round on whose walk is number `next`. */
void contest_group(struct simulator *simulator, struct core *core, const struct simulator_walk *group, uint64_t round, uint32_t next, uint32_t accesses);

#endif
