/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole time loop is inside one parallel region, and balanced.
 *
 * NONE
 * PHASE sequence|anchor
 * PRINTS checksum 1106448605891668991
 */
#include "workload.h"

#define CELLS 400

static uint64_t cells[CELLS];

static void run(int steps)
{
#pragma omp parallel
	for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static)
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 6000);
#pragma omp for schedule(static)
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i], 6000);
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
