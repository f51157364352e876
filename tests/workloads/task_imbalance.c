/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One task is three times as long as all others together. Who makes tasks takes the last first; with `single`
 * that would be now one thread and now the other, and it would be chance which is the busiest.
 *
 * EXPECT TaskImbalance|TooFewTasks anywhere severity 0.1..0.5
 * ALLOW TaskImbalance|TooFewTasks|Single.*
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 18163029746927216831
 */
#include "workload.h"

#define TASKS 16

static uint64_t cells[TASKS + 1];

static void step_once(void)
{
#pragma omp parallel
#pragma omp master
	for (int i = 0; i <= TASKS; i++) {
#pragma omp task firstprivate(i)
		cells[i] = workload_churn(cells[i] + (uint64_t)i, i < TASKS ? 50000 : 2400000);
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 170);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		step_once();
	for (int i = 0; i <= TASKS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
