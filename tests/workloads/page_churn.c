/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every step allocates its temporaries anew: malloc gives the memory back to the system each
 * time, and every page is faulted in again.
 *
 * EXPECT AllocationChurn|FaultsInRegion hot touch,loop severity 0.05..0.9
 * ALLOW PageFaults|FaultsInRegion|AllocationChurn|SystemTime.*|Serial.*
 * ALLOW DataMisses|CapacityMisses|StridedAccess
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 6522075272224877810
 */
#include "workload.h"

#define ARRAYS 40
#define WORDS (240 * 1024 / 8)             /* blocks of 240 KiB: too small for huge pages */

static uint64_t *temporaries[ARRAYS];

static void allocate(int step)
{
	for (int k = 0; k < ARRAYS; k++) {
		temporaries[k] = (uint64_t *)malloc(WORDS * sizeof(uint64_t));
		if (!temporaries[k])
			exit(1);
		for (int i = 0; i < WORDS; i += 16)              /* HERE: loop */
			temporaries[k][i] = (uint64_t)(step + i);       /* HERE: touch */
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 150);
	uint64_t sum = 0;

	free(malloc(WORDS * sizeof(uint64_t)));  /* from now on such blocks are taken from the heap, and trimmed */
	for (int step = 0; step < steps; step++) {
		allocate(step);
#pragma omp parallel for reduction(+ : sum)
		for (int k = 0; k < ARRAYS; k++)
			sum += workload_churn(temporaries[k][16 * (k % 7)], 50000);
		for (int k = ARRAYS - 1; k >= 0; k--)
			free(temporaries[k]);
	}
	workload_checksum(sum);
	return 0;
}
