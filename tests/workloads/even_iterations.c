/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop of four iterations of equal work on two threads.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 2909335750838280288
 * SAMPLED
 */
#include "workload.h"

static uint64_t cells[4];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 300);

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < 4; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 750000);
	}
	workload_checksum(cells[0] + cells[1] + cells[2] + cells[3]);
	return 0;
}
