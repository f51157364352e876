/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread works in a single construct while the others wait for it. With gcc the
 * runtime does not tell when a single ends: there the chain stops at the region.
 *
 * EXPECT Single.*|LateAtBarrier|SlowThreads|Shifting.* in step_once severity 0.1..0.5
 * ALLOW Single.*
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 7225986316922597185
 */
#include "workload.h"

#define CELLS 400

static uint64_t cells[CELLS], total;

static void step_once(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 5000);
#pragma omp single
		total += workload_churn(cells[0], 2000000);
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);

	for (int step = 0; step < steps; step++)
		step_once();
	workload_checksum(total);
	return 0;
}
