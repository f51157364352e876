/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  all threads add to one histogram by atomic operations: they share its lines
 * remedy   a histogram for each thread, summed up at the end
 * arrays   bins
 * kinds    true_sharing
 */
#include <stdio.h>
#include <stdlib.h>

#define BINS 1000

int main(void)
{
	long nr = 4000000;
	static long bins[BINS];
	unsigned short *values = malloc(nr * sizeof(*values));
	unsigned x = 1;

	for (long i = 0; i < nr; i++) {
		x = x * 1664525u + 1013904223u;
		values[i] = (x >> 8) % BINS;
	}
	for (int step = 0; step < 70; step++) {
#ifdef MENDED
#pragma omp parallel for reduction(+ : bins)
		for (long i = 0; i < nr; i++)
			bins[values[i]]++;
#else
#pragma omp parallel for
		for (long i = 0; i < nr; i++)          /* hot */
#pragma omp atomic
			bins[values[i]]++;             /* hot */
#endif
	}
	printf("%ld\n", bins[5]);
	free(values);
	return 0;
}
