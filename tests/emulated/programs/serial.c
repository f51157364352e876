/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Half of each step is a serial loop whose time is spent in libm's exp: the line that calls it is named,
 * for which a sample's stack must be followed out of libm. As emulated CPUs take turns, threads with
 * equal work may seem unequal.
 *
 * EXPECT SerialStretch hot serial,loop severity 0.1..0.48
 * ALLOW SerialFraction|SerialStretch|LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|CpusTaken|ToolOverhead|SystemTime.*
 * PHASE sequence
 */
#include <math.h>

#include "workload.h"

#define CELLS 512

static uint64_t cells[CELLS];

static __attribute__((noinline)) uint64_t damping(uint64_t seed)
{
	double total = 0;

	for (int i = 0; i < 200000; i++)         /* HERE: loop */
		total += exp((double)((seed + (uint64_t)i) % 1000) * -0.001);      /* HERE: serial */
	return (uint64_t)total;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 100);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 6000);
		sum += damping(cells[step % CELLS]);
	}
	workload_checksum(sum);
	return 0;
}
