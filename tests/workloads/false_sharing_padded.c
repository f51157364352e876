/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of false_sharing.c, a cache line pair apart from each other.
 *
 * NONE
 * PHASE sequence
 */
#include <omp.h>

#include "workload.h"

#define VALUES 400000

static volatile uint64_t counts[64][16]; /* by thread */

static void count_rare(int step)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		uint32_t x = (uint32_t)step;

#pragma omp for
		for (int i = 0; i < VALUES; i++) {
			x = x * 1664525u + 1013904223u;
			if (x & 4)
				counts[me][0]++;
		}
	}
}

int main(int argc, char **argv)
{
	int steps = workload_steps(argc, argv, 2000);
	uint64_t sum = 0;

	for (int step = 0; step < steps; step++)
		count_rare(step);
	for (int i = 0; i < 64; i++)
		sum += counts[i][0];
	workload_checksum(sum);
	return 0;
}
