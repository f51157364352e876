/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All threads add to one of four counters in each iteration, atomically.
 *
 * EXPECT AtomicUpdates|TrueSharing in histogram severity 0.05..1
 * ALLOW AtomicUpdates|TrueSharing|FalseSharing|WatchedFalseSharing|SharedWrittenLines|PoorLineUtilisation
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 2202009453593677
 * SAMPLED
 */
#include "workload.h"

#define VALUES 50000

static uint64_t bins[4];

static void histogram(uint64_t seed)
{
#pragma omp parallel for
	for (uint64_t i = 0; i < VALUES; i++) {
		uint64_t x = (i + seed) * 0x9e3779b97f4a7c15u;

#pragma omp atomic
		bins[x >> 62] += x >> 40;
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 1000);

	for (int step = 0; step < steps; step++)
		histogram((uint64_t)step * VALUES);
	workload_checksum(bins[0] + 3 * bins[1] + 5 * bins[2] + 7 * bins[3]);
	return 0;
}
