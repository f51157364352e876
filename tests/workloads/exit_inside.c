/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program ends itself with exit(3) in the middle of a parallel region.
 *
 * EXPECT ImbalanceIn.*|SlowThreads at loop severity 0.2..0.45
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * STATUS 3
 * PRINTS checksum 6594224676268049957
 */
#include "workload.h"

#define ROWS 400

static uint64_t cells[ROWS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static)       /* HERE: loop */
		for (int i = 0; i < ROWS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 40L * i);
	}
#pragma omp parallel
	{
#pragma omp master
		{
			workload_checksum(cells[1] + cells[ROWS - 1]);
			exit(3);
		}
		workload_churn(cells[0], 100);
#pragma omp barrier
	}
	return 0;
}
