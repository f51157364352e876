/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock for each cell: threads nearly never want the same one.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 16147966279326300001
 * SAMPLED
 */
#include <omp.h>

#include "workload.h"

#define CELLS 256

static omp_lock_t locks[CELLS];
static uint64_t cells[CELLS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);
	uint64_t sum = 0;

	for (int i = 0; i < CELLS; i++)
		omp_init_lock(&locks[i]);
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++) {
			uint64_t value = workload_churn((uint64_t)(step + i), 15000);
			int other = (i * 7 + step) % CELLS;

			omp_set_lock(&locks[other]);
			cells[other] += value;
			omp_unset_lock(&locks[other]);
		}
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[i];
	workload_checksum(sum);
	return 0;
}
