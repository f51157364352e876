/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equal tasks of some 100 us.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 13069388356597526516
 */
#include "workload.h"

#define TASKS 64

static uint64_t cells[TASKS];

static void step_once(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
		cells[i] = workload_churn(cells[i] + (uint64_t)i, 60000);
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		step_once();
	for (int i = 0; i < TASKS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
