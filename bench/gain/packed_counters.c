/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  each thread counts in a word of its own, but all of these words are in one or two cache lines
 * remedy   a cache line for each thread's counter
 * arrays   count
 * kinds    false_sharing
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef MENDED
#define APART 8
#else
#define APART 1
#endif

int main(void)
{
	volatile long *count = calloc(64 * APART, 8);
	long nr = 4000000, sum = 0;

	for (int step = 0; step < 300; step++) {
#pragma omp parallel
		{
			int me = omp_get_thread_num() * APART;
			unsigned x = me + step;

#pragma omp for
			for (long i = 0; i < nr; i++) {          /* hot */
				x = x * 1664525u + 1013904223u;
				if (x & 4)
					count[me]++;             /* hot */
			}
		}
	}
	for (int i = 0; i < 64 * APART; i++)
		sum += count[i];
	printf("%d\n", sum > 0);
	return 0;
}
