/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most of the loop's work is done in a critical construct: the threads queue for it.
 *
 * EXPECT CriticalContention at critical severity 0.2..0.6
 * ALLOW LockWaiting|CriticalContention
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 5953883690286761059
 */
#include "workload.h"

#define CELLS 200

static uint64_t cells[CELLS], total;

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++) {
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 2000);
#pragma omp critical                         /* HERE: critical */
			total += workload_churn(cells[i], 12000);
		}
	}
	workload_checksum(total);
	return 0;
}
