/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dynamic loop that hands out single iterations of some 20 ns. The property takes 100 ns for handing one out; builds of libomp that format text for
 * their own tracing each time (Debian's) take 0.5 to 1 us, which makes the share smaller.
 *
 * EXPECT ChunksTooSmallInLoop at loop,body severity 0.04..1
 * ALLOW ChunksTooSmall.*|ToolOverhead.*|WorkTooFine
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 1488675252669435588
 */
#include "workload.h"

#define CELLS 40000

static uint64_t cells[CELLS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic, 1)    /* HERE: loop */
		for (int i = 0; i < CELLS; i++)          /* HERE: body */
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 10);
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
