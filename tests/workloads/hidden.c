/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three loops in a step: in the first one thread has more work, in the last one the other, so that both work equally long in a step.
 *
 * EXPECT ImbalanceIn.*|SlowThreads in lower severity 0.03..0.4
 * EXPECT ImbalanceIn.*|SlowThreads in upper severity 0.03..0.4
 * ALLOW LoadImbalance|ImbalanceIn.*|SlowThreads|Shifting.*|BarrierWaiting|LateAtBarrier
 * PHASE sequence
 * PRINTS checksum 10676577888814033600
 * SAMPLED
 */
#include "workload.h"

#define ROWS 200

static uint64_t cells[ROWS];

static void lower(void)
{
#pragma omp parallel for
	for (int i = 0; i < ROWS; i++)
		cells[i] = workload_churn(cells[i], 80L * i);
}

static void upper(void)
{
#pragma omp parallel for
	for (int i = 0; i < ROWS; i++)
		cells[i] = workload_churn(cells[i], 80L * (ROWS - 1 - i));
}

static void even(void)
{
#pragma omp parallel for
	for (int i = 0; i < ROWS; i++)
		cells[i] = workload_churn(cells[i], 8000);
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
		lower();
		even();
		upper();
	}
	for (int i = 0; i < ROWS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
