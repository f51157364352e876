/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread does ten times the work of the others. Emulated CPUs take turns on one real one: while all
 * of n threads work each gets a n-th of it, later the last one has it for itself, so that of n = 4
 * 27/52 of the threads' time are lost; 27/40 on CPUs that really run at the same time. A turn is some
 * 4 ms, so steps are long.
 *
 * EXPECT ImbalanceIn.*|SlowThreads at region severity 0.3..0.7
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier|ToolOverhead|SystemTime
 * PHASE sequence
 */
#include <omp.h>

#include "workload.h"

static uint64_t calc(uint64_t seed)
{
	uint64_t sum = 0;

#pragma omp parallel reduction(+ : sum)   /* HERE: region */
	{
		int slow = omp_get_thread_num() == omp_get_num_threads() - 1;

		sum += workload_churn(seed, slow ? 10000000 : 1000000);
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 60);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		sum += calc((uint64_t)step);
	workload_checksum(sum);
	return 0;
}
