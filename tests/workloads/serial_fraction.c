/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A serial function takes half of each time step.
 *
 * EXPECT SerialStretch hot serial,loop severity 0.1..0.48
 * ALLOW SerialFraction|SerialStretch
 * PHASE sequence
 * PRINTS checksum 9170989935775988035
 */
#include "workload.h"

#define CELLS 512

static uint64_t cells[CELLS];

static __attribute__((noinline)) uint64_t boundary(uint64_t value)
{
	for (long i = 0; i < 1000000; i++)       /* HERE: loop */
		value = (value ^ value >> 29) * 6364136223846793005u + (uint64_t)i;      /* HERE: serial */
	return value;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 250);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for
		for (int i = 0; i < CELLS; i++)
			cells[i] = workload_churn(cells[i] + (uint64_t)i, 4000);
		sum += boundary(cells[step % CELLS]);
	}
	workload_checksum(sum);
	return 0;
}
