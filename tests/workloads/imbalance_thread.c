/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread does three times the work of the others, in a region without a loop construct.
 *
 * EXPECT ImbalanceIn.*|SlowThreads at region severity 0.2..0.45
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 12857101435660054530
 */
#include <omp.h>

#include "workload.h"

static uint64_t calc(uint64_t seed)
{
	uint64_t sum = 0;

#pragma omp parallel reduction(+ : sum)   /* HERE: region */
	{
		int slow = omp_get_thread_num() == omp_get_num_threads() - 1;

		sum += workload_churn(seed, slow ? 1800000 : 600000);
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 300);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		sum += calc((uint64_t)step);
	workload_checksum(sum);
	return 0;
}
