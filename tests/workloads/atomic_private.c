/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of atomic.c as a reduction.
 *
 * NONE
 * PHASE sequence
 * PRINTS checksum 35232151834508300
 * SAMPLED
 */
#include "workload.h"

#define VALUES 4000000

static uint64_t bins[4];

static void histogram(uint64_t seed)
{
#pragma omp parallel for reduction(+ : bins)
	for (uint64_t i = 0; i < VALUES; i++) {
		uint64_t x = (i + seed) * 0x9e3779b97f4a7c15u;

		bins[x >> 62] += x >> 40;
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 200);

	for (int step = 0; step < steps; step++)
		histogram((uint64_t)step * VALUES);
	workload_checksum(bins[0] + 3 * bins[1] + 5 * bins[2] + 7 * bins[3]);
	return 0;
}
