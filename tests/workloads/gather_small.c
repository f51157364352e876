/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reads of gather.c, of 16 KB: all of them hit.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 1228200009516
 * SAMPLED
 */
#include "workload.h"

#define CELLS (2 << 10)
#define READS 4000000

static uint64_t cells[CELLS];

static uint64_t gather(uint64_t seed)
{
	uint64_t sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (uint64_t i = 0; i < READS; i++) {
		uint64_t x = (i + seed) * 0x9e3779b97f4a7c15u;

		sum += cells[(x ^ x >> 32) % CELLS];
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 300);
	uint64_t sum = 0;

	for (uint64_t i = 0; i < CELLS; i++)
		cells[i] = i;
	for (int step = 0; step < steps; step++)
		sum += gather((uint64_t)step * READS);
	workload_checksum(sum);
	return 0;
}
