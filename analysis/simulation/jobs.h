/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_JOBS_H
#define MEMSEARCH_SIMULATION_JOBS_H

#include <stdint.h>

/* Threads to simulate with: as many as asked for; 0: one for each CPU that this process may run on. Never 0. */
uint32_t jobs_of(uint64_t asked);

#endif
