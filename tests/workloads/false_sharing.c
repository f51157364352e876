/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread counts in its own element of an array; all elements lie in one cache line.
 *
 * EXPECT FalseSharing in count_rare severity 0.02..1
 * ALLOW WatchedFalseSharing|SharedWrittenLines|FalseSharing|TrueSharing|PoorLineUtilisation
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 400000000
 * SAMPLED
 */
#include <omp.h>

#include "workload.h"

#define VALUES 400000

static volatile uint64_t counts[64];     /* by thread */

static void count_rare(int step)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		uint32_t x = (uint32_t)step;

#pragma omp for
		for (int i = 0; i < VALUES; i++) {
			x = x * 1664525u + 1013904223u;
			if (x & 4)
				counts[me]++;
		}
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 2000);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		count_rare(step);
	for (int i = 0; i < 64; i++)
		sum += counts[i];
	workload_checksum(sum);
	return 0;
}
