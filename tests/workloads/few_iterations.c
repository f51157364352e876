/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop of three iterations of equal work on two threads: one has two of them. Then a loop of many.
 * Static loops of gcc make no call of the runtime, which therefore reports no iterations.
 *
 * EXPECT TooFewIterations at loop severity 0.1..0.35
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 8689458054992868975
 * SAMPLED
 * ONLY clang
 */
#include "workload.h"

#define CELLS 200

static uint64_t few[3], cells[CELLS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 300);

	for (int step = 0; step < steps; step++) {
#pragma omp parallel
		{
#pragma omp for                                           /* HERE: loop */
			for (int i = 0; i < 3; i++)
				few[i] = workload_churn(few[i] + (uint64_t)i, 800000);
#pragma omp for
			for (int i = 0; i < CELLS; i++)
				cells[i] = workload_churn(cells[i], 3000);
		}
	}
	workload_checksum(few[0] + few[1] + few[2] + cells[0]);
	return 0;
}
