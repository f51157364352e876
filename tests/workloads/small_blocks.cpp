/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small vector is allocated and freed in each iteration of the hot loop: malloc and free take much
 * of the time, without page faults.
 *
 * EXPECT AllocationsInRegion anywhere severity 0.05..1
 * ALLOW Allocations.*|UnequalCpus
 * The wrappers of malloc and free take several times as long as these allocations, which is a finding:
 * ALLOW ToolOverhead
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 40000000
 */
#include <vector>

#include "workload.h"

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 800);
	const long nr = 100000;
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (long i = 0; i < nr; i++) {
			std::vector<long> some(16 + (i & 7));

			some[i & 15] = i + step;
			__asm__("" : : "r"(some.data()) : "memory");
			sum += static_cast<uint64_t>(some[i & 15] & 1);
		}
	}
	workload_checksum(sum);
	return 0;
}
