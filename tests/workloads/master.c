/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The master thread works alone; the others wait at the barrier behind it.
 *
 * EXPECT MasterConstruct|LateAtBarrier|SlowThreads in step_once severity 0.1..0.5
 * ALLOW Single.*|MasterConstruct
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 2179183148337422998
 * SAMPLED
 */
#include "workload.h"

#define CELLS 400

static uint64_t cells[CELLS], total;

static void step_once(void)
{
#pragma omp parallel
	{
#pragma omp master
		total += workload_churn(cells[0], 2000000);
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 5000);
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
