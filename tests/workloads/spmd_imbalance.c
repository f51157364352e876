/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole time loop is inside one parallel region; one of its two loops is triangular.
 *
 * EXPECT ImbalanceIn.*|SlowThreads|LateAtBarrier in run severity 0.1..0.45
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence|anchor
 * PRINTS checksum 12801196611494283394
 */
#include "workload.h"

#define CELLS 400

static uint64_t cells[CELLS];

static void run(int steps)
{
#pragma omp parallel
	for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static)
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 3000);
#pragma omp for schedule(static)
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i], 30L * i);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	run(workload_steps(argc, argv, 250));
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
