/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another thread has most of the work in each step.
 *
 * EXPECT ShiftingImbalanceInRegion|ImbalanceIn.* in calc severity 0.1..0.5
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 8057282680176566979
 * SAMPLED
 */
#include <omp.h>

#include "workload.h"

static uint64_t calc(int step)
{
	uint64_t sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
		int busy = (omp_get_thread_num() + step / 3) % 2 == 0;

		sum += workload_churn((uint64_t)step, busy ? 2500000 : 600000);
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		sum += calc(step);
	workload_checksum(sum);
	return 0;
}
