/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A triangular loop dealt out in equal blocks of rows: the last thread has most of the work.
 *
 * EXPECT ImbalanceIn.*|SlowThreads at loop,body severity 0.2..0.45
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 6026529264900332406
 */
#include "workload.h"

#define ROWS 400

static uint64_t calc(uint64_t seed)
{
	uint64_t sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)     /* HERE: loop */
	for (int i = 0; i < ROWS; i++)                   /* HERE: body */
		sum += workload_churn(seed + (uint64_t)i, 40L * i);
	return sum;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		sum += calc((uint64_t)step);
	workload_checksum(sum);
	return 0;
}
