/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A master construct that counts steps, and a barrier.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 6626124774157091406
 * SAMPLED
 */
#include "workload.h"

#define CELLS 400

static uint64_t cells[CELLS], total;

static void step_once(void)
{
#pragma omp parallel
	{
#pragma omp master
		total += cells[0];
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 10000);
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
