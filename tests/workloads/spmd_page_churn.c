/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole time loop is inside one parallel region; in each step every thread gets new memory
 * outside of any loop, touches it and gives it back. (They sleep when both change the address space.)
 *
 * EXPECT AllocationChurn|FaultsInRegion in run severity 0.05..0.9
 * ALLOW PageFaults|FaultsInRegion|AllocationChurn|SystemTime.*|Serial.*
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * ALLOW IO.*
 * PHASE sequence|anchor
 * PRINTS checksum 8623463734267886372
 */
#include <sys/mman.h>

#include "workload.h"

#define CELLS 400
#define BYTES (4 << 20)

static uint64_t cells[CELLS];

static void touch_new_memory(void)
{
	char *memory = (char *)mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	madvise(memory, BYTES, MADV_NOHUGEPAGE);
	for (int i = 0; i < BYTES; i += 4096)
		memory[i] = 1;                           /* HERE: touch */
	munmap(memory, BYTES);
}

static void run(int steps)
{
#pragma omp parallel
	for (int step = 0; step < steps; step++) {
		touch_new_memory();
#pragma omp for schedule(static)
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 3000);
#pragma omp for schedule(static)
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i], 3000);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	run(workload_steps(argc, argv, 250));
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
