/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread counts in its own element of `count`, but eight elements lie in one cache line.
 * Remedy: pad each element to a cache line, or count in a local variable.
 */
#include <omp.h>
#include <stdio.h>

#define SAMPLES 4000000

static volatile long count[64];      /* by thread */

int main(void)
{
	long sum = 0;

	for (int step = 0; step < 100; step++) {
#pragma omp parallel
		{
			int me = omp_get_thread_num();
			unsigned x = me + step;

#pragma omp for
			for (int i = 0; i < SAMPLES; i++) {                      /* hot */
				x = x * 1664525u + 1013904223u;
				if (x & 4)
					count[me]++;                             /* hot */
			}
		}
	}
	for (int i = 0; i < omp_get_max_threads(); i++)
		sum += count[i];
	printf("%d\n", sum > 0);
	return 0;
}
