/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A critical construct that is entered rarely and left at once.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 17300900827732354306
 */
#include "workload.h"

#define CELLS 200

static uint64_t cells[CELLS], total;

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++) {
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 20000);
#pragma omp critical
			total += cells[i];
		}
	}
	workload_checksum(total);
	return 0;
}
