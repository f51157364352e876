/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads queue for an OpenMP lock that is held for most of the work.
 *
 * EXPECT LockContention at lock severity 0.2..0.6
 * ALLOW LockWaiting|LockContention
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 5953883690286761059
 */
#include <omp.h>

#include "workload.h"

#define CELLS 200

static uint64_t cells[CELLS], total;

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);
	omp_lock_t lock;

	omp_init_lock(&lock);
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++) {
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 2000);
			omp_set_lock(&lock);         /* HERE: lock */
			total += workload_churn(cells[i], 12000);
			omp_unset_lock(&lock);
		}
	}
	omp_destroy_lock(&lock);
	workload_checksum(total);
	return 0;
}
