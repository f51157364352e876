/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random elements of 32 MB are read: caches and TLB hold few of them.
 *
 * EXPECT CapacityMisses in gather severity 0.05..1
 * ALLOW .*Misses|.*MissRate.*|StridedAccess|PoorLineUtilisation|PageTableWalks|MemoryBound.*|LocalDramAccesses|ModelledTraffic|WriteAllocateTraffic|WorkingSetBeyondCaches|ReachBeyondCaches|FewPrefetches
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 */
#include "workload.h"

#define CELLS (4 << 20)
#define READS 200000

static uint64_t cells[CELLS];

static uint64_t gather(uint64_t seed)
{
	uint64_t sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (uint64_t i = 0; i < READS; i++) {
		uint64_t x = (i + seed) * 0x9e3779b97f4a7c15u;

		sum += cells[(x ^ x >> 32) % CELLS];
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 900);
	uint64_t sum = 0;

#pragma omp parallel for
	for (uint64_t i = 0; i < CELLS; i++)
		cells[i] = i;
	for (int step = 0; step < steps; step++)
		sum += gather((uint64_t)step * READS);
	workload_checksum(sum);
	return 0;
}
