/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix is copied column by column: each access needs another line.
 *
 * EXPECT ConflictMisses|CapacityMisses|PoorLineUtilisation|StridedAccess in copy severity 0.02..1
 * ALLOW .*Misses|.*MissRate.*|StridedAccess|PoorLineUtilisation|PageTableWalks|MemoryBound.*|LocalDramAccesses|ModelledTraffic|WriteAllocateTraffic|WorkingSetBeyondCaches|ReachBeyondCaches|FewPrefetches
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 */
#include "workload.h"

#define N 1100

static uint32_t from[N][N], to[N][N];

static void copy(uint32_t step)
{
#pragma omp parallel for
	for (int j = 0; j < N; j++)
		for (int i = 0; i < N; i++) {
			to[i][j] = from[i][j] + step;
			__asm__("" : : : "memory"); /* so that no compiler exchanges the loops */
		}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 800);
	uint64_t sum = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			from[i][j] = (uint32_t)(i * 7 + j);
	for (int step = 0; step < steps; step++) {
		copy((uint32_t)step);
		sum += to[step % N][N / 2];
	}
	workload_checksum(sum);
	return 0;
}
