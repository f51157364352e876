/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Balanced arithmetic in registers: nothing to find.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 10147160728845270193
 */
#include "workload.h"

#define CELLS 512

static uint64_t cells[CELLS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 9000);
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
