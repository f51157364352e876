/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long task follows many short ones: at the taskwait one thread has nothing to do.
 *
 * EXPECT TaskwaitHere|TaskImbalance|TooFewTasks anywhere severity 0.1..0.5
 * ALLOW Task.*|TooFewTasks|Single.*
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 6480422900015070359
 * SAMPLED
 */
#include "workload.h"

#define TASKS 16

static uint64_t cells[TASKS + 1], total;

static void step_once(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i <= TASKS; i++) {
#pragma omp task firstprivate(i)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, i < TASKS ? 60000 : 2400000);
		}
#pragma omp taskwait
		total += cells[0] + cells[TASKS];
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);

	for (int step = 0; step < steps; step++)
		step_once();
	workload_checksum(total);
	return 0;
}
