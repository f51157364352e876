/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between barriers the threads take turns in having most of the work: every one does the
 * same in all, and half of the time is spent waiting at the barrier.
 *
 * EXPECT LateAtBarrier at barrier severity 0.25..0.55
 * ALLOW BarrierTooFrequent|WorkTooFine
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 1528468425947032352
 */
#include <omp.h>

#include "workload.h"

static uint64_t calc(uint64_t seed)
{
	uint64_t sum = 0;

#pragma omp parallel reduction(+ : sum)
	for (int turn = 0; turn < 8; turn++) {
		int busy = omp_get_thread_num() % 2 == turn % 2;

		sum += workload_churn(seed, busy ? 400000 : 20000);
#pragma omp barrier                           /* HERE: barrier */
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		sum += calc((uint64_t)step);
	workload_checksum(sum);
	return 0;
}
