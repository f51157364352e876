/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most of the loop's work is in an ordered construct: the threads go one after the other.
 *
 * EXPECT OrderedWaiting at ordered severity 0.2..0.6
 * ALLOW LockWaiting|OrderedWaiting
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 18336074982211993719
 */
#include "workload.h"

#define CELLS 200

static uint64_t cells[CELLS], total;

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for ordered schedule(static, 1)
		for (int i = 0; i < CELLS; i++) {
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 2000);
#pragma omp ordered                           /* HERE: ordered */
			total = total * 3 + workload_churn(cells[i], 12000);
		}
	}
	workload_checksum(total);
	return 0;
}
