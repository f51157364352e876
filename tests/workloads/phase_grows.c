/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every step is longer than the one before, and there is an output step every 50.
 *
 * EXPECT ImbalanceIn.*|SlowThreads at triangle severity 0.15..0.45
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 13365819082111839205
 */
#include "workload.h"

#define CELLS 400

static uint64_t cells[CELLS];

static uint64_t output(void)
{
	uint64_t sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < CELLS; i++)
		sum += workload_churn(cells[i], 1000);
	return sum;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 300);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 1000);
#pragma omp parallel for schedule(static)       /* HERE: triangle */
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i], 30L * i * step / 150);
		if (step % 50 == 49)
			sum += output();
	}
	workload_checksum(sum);
	return 0;
}
