/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four threads for each CPU.
 *
 * EXPECT Oversubscription anywhere severity 0..1
 * ALLOW .*
 * PRINTS checksum 2368510387122607888
 */
#include <omp.h>

#include "workload.h"

#define CELLS 512

static uint64_t cells[CELLS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 100), threads = 4 * omp_get_num_procs();
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for num_threads(threads)
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 8000);
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
