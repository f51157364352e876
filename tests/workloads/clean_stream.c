/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two loops that stream through memory, first touched by the threads that use it: nothing to find. Where accesses were recorded the arrays are said to
 * have left the second-level cache between the loops, which is so, and costs next to nothing. Every line is a miss of the first-level cache, and every page one of the TLB: that may cost 3 % or 40 %.
 *
 * NONE
 * ALLOW CapacityMisses|L1Data.*MissRate.*|PageTableWalks
 * PHASE sequence
 * PRINTS checksum 15374135825582272363
 */
#include "workload.h"

#define CELLS 2000000

static uint64_t a[CELLS], b[CELLS];

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);
	uint64_t sum = 0;

#pragma omp parallel for
	for (int i = 0; i < CELLS; i++) {
		a[i] = (uint64_t)i;
		b[i] = 1;
	}
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			b[i] = workload_churn(a[i], 1) + (b[i] >> 1);
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			a[i] = workload_churn(b[i], 1);
	}
	for (int i = 0; i < CELLS; i++)
		sum += a[i];
	workload_checksum(sum);
	return 0;
}
