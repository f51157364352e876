/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads start an inner team each, of as many threads as there are CPUs: two threads a CPU.
 *
 * EXPECT Oversubscription anywhere severity 0..1
 * ALLOW .*
 * PHASE sequence
 * PRINTS checksum 11120954372778985140
 */
#include <omp.h>

#include "workload.h"

#define CELLS 256

static uint64_t cells[2][CELLS];

static void inner(int half)
{
	int threads = omp_get_num_procs() > 2 ? omp_get_num_procs() : 2;

#pragma omp parallel for num_threads(threads)
	for (int i = 0; i < CELLS; i++)
		cells[half][i] = workload_churn(cells[half][i] + (uint64_t)i, 8000);
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 150);
	uint64_t sum = 0;

	omp_set_max_active_levels(2);
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for num_threads(2)
		for (int half = 0; half < 2; half++)
			inner(half);
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[0][i] + 3 * cells[1][i];
	workload_checksum(sum);
	return 0;
}
