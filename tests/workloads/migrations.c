/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that may run anywhere are moved to another CPU in every step.
 *
 * EXPECT MigratingThreads|UnboundThreads anywhere severity 0..1
 * ALLOW .*
 * RUN OMP_PROC_BIND=false
 * PRINTS checksum 5751840213995558696
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>

#include "workload.h"

#define CELLS 512

static uint64_t cells[CELLS];

/* Sends the calling thread to one CPU and then lets it go where it likes again. */
static void push_to(int number, const cpu_set_t *allowed)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	for (int cpu = 0, nth = number % CPU_COUNT(allowed); cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, allowed) && nth-- == 0)
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	sched_setaffinity(0, sizeof(*allowed), allowed);
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 600);
	cpu_set_t allowed;
	uint64_t sum = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return 1;
	for (int step = 0; step < steps; step++) {
#pragma omp parallel
		{
			push_to(step + omp_get_thread_num(), &allowed);
#pragma omp for
			for (int i = 0; i < CELLS; i++)
				cells[i] = workload_churn(cells[i] + (uint64_t)i, 3000);
		}
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
