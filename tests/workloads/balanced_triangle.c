/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The triangular loop of imbalance_triangle.c with a dynamic schedule: balanced.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 6026529264900332406
 */
#include "workload.h"

#define ROWS 400

static uint64_t calc(uint64_t seed)
{
	uint64_t sum = 0;

#pragma omp parallel for schedule(dynamic, 8) reduction(+ : sum)
	for (int i = ROWS - 1; i >= 0; i--)           /* long rows first */
		sum += workload_churn(seed + (uint64_t)i, 40L * i);
	return sum;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		sum += calc((uint64_t)step);
	workload_checksum(sum);
	return 0;
}
