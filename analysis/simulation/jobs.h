/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_JOBS_H
#define MEMSEARCH_SIMULATION_JOBS_H

#include <stdint.h>

/*
 * Number of simulating threads: `asked`; 0: one per CPU of this process's affinity mask. Never 0.
 */
uint32_t jobs_of(uint64_t asked);

#endif
