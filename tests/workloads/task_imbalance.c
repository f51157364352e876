/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One task is as long as all others together and is started last.
 *
 * EXPECT .*Task.*Imbalance.*|LoadImbalance.* at task,region,single severity 0.1..0.5
 * ALLOW .*Barrier.*|LoadImbalance.*|.*Task.*|.*Single.*
 * PHASE sequence
 */
#include "workload.h"

#define TASKS 16

static uint64_t cells[TASKS + 1];

static void step_once(void)
{
#pragma omp parallel			     /* HERE: region */
#pragma omp single			       /* HERE: single */
	for (int i = 0; i <= TASKS; i++) {
#pragma omp task firstprivate(i)		 /* HERE: task */
		cells[i] = workload_churn(cells[i] + (uint64_t)i, i < TASKS ? 100000 : 2400000);
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
