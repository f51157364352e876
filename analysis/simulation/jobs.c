/* SPDX-License-Identifier: Apache-2.0 */
/* Number of simulating threads. */
#define _GNU_SOURCE
#include "analysis/simulation/jobs.h"

#include <sched.h>

#define MOST_CPUS (1 << 20)

/* 0: the kernel's mask has more CPUs, or no memory. */
static uint32_t cpus_of_mask(int room)
{
	size_t bytes = CPU_ALLOC_SIZE((size_t)room);
	cpu_set_t *set = CPU_ALLOC((size_t)room);
	uint32_t nr = 0;

	if (set && !sched_getaffinity(0, bytes, set))
		nr = (uint32_t)CPU_COUNT_S(bytes, set);
	CPU_FREE(set);
	return nr;
}

uint32_t jobs_of(uint64_t asked)
{
	uint32_t nr = asked < UINT32_MAX ? (uint32_t)asked : UINT32_MAX;

	for (int room = CPU_SETSIZE; !nr && room <= MOST_CPUS; room *= 2)
		nr = cpus_of_mask(room);
	return nr ? nr : 1;
}
