/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dynamic loop of small_chunks.c with chunks of 5000 iterations.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 10158268684685958894
 */
#include "workload.h"

#define CELLS 200000

static uint64_t cells[CELLS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic, 5000)
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 20);
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
