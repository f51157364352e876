/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread waits for a timer in each iteration of a loop.
 *
 * EXPECT IOInRegion at region,loop severity 0.1..1
 * ALLOW IO.*
 * ALLOW SystemTime.*|ThreadsWakeLate
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 7724087429206738945
 * SAMPLED
 */
#include <time.h>

#include "workload.h"

#define CELLS 8

static uint64_t cells[CELLS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 100);
	struct timespec pause = { 0, 1000000 };
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for                        /* HERE: region */
		for (int i = 0; i < CELLS; i++) { /* HERE: loop */
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 600000);
			nanosleep(&pause, NULL);
		}
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
