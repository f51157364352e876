/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  all threads update the same four counters by atomic operations: true sharing
 * remedy   reduction
 * arrays   total
 * kinds    true_sharing
 */
#include <stdio.h>

static long total[4];

int main(void)
{
	long nr = 1000000;

	for (int step = 0; step < 160; step++) {
#ifdef MENDED
#pragma omp parallel for reduction(+ : total)
		for (long i = 0; i < nr; i++)
			total[(i * 7919) >> 3 & 3] += i & 1;
#else
#pragma omp parallel for
		for (long i = 0; i < nr; i++)                  /* hot */
#pragma omp atomic
			total[(i * 7919) >> 3 & 3] += i & 1;   /* hot */
#endif
	}
	printf("%ld %ld\n", total[0], total[3]);
	return 0;
}
