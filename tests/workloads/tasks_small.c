/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of some 50 ns of work: making them takes longer than doing them. Either thread executes tasks that write
 * neighbouring cells: their lines go to and fro, 3 % of the time.
 *
 * EXPECT SmallTasks at task severity 0.1..1
 * ALLOW TasksTooSmall|SmallTasks|Single.*|Task.*|ToolOverhead.*|WorkTooFine|SystemTime.*
 * ALLOW TrueSharing|FalseSharing|PoorLineUtilisation
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PRINTS checksum 4455833237302634147
 */
#include "workload.h"

#define TASKS 8000

static uint64_t cells[TASKS];

static void step_once(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)                 /* HERE: task */
		cells[i] = workload_churn(cells[i] + (uint64_t)i, 30);
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 1600);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		step_once();
	for (int i = 0; i < TASKS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
