/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_COUNT_REMOTE_WRITES_H
#define MEMSEARCH_SIMULATOR_COUNT_REMOTE_WRITES_H

#include "analysis/simulator/state.h"

/*
 * Counts a time slice's accesses to remotely written lines (rule 14), before or after it is
 * simulated. No effect with one core.
 */
void count_remote_writes_single(struct simulator *simulator, struct core *core,
				const struct stride_run *runs, uint32_t nr);
/* Of a group, from the access of run `next` in that round on. */
void count_remote_writes_group(struct simulator *simulator, struct core *core,
			       const struct stride_run *group, uint64_t round, uint32_t next,
			       uint32_t accesses);

#endif
