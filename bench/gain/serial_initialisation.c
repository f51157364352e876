/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  one thread initialises what all use: all pages are on its NUMA node. The loop computes more than it fetches
 * remedy   initialise in parallel: nothing to gain on a machine with one node
 * arrays   a b
 * nothing to gain
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	long nr = 5000000;
	double *a = malloc(nr * sizeof(*a)), *b = malloc(nr * sizeof(*b));

#ifdef MENDED
#pragma omp parallel for
#endif
	for (long i = 0; i < nr; i++) {
		a[i] = i % 10;
		b[i] = 1;
	}
	for (int step = 0; step < 60; step++) {
#pragma omp parallel for
		for (long i = 0; i < nr; i++) {            /* hot */
			double x = a[i] * 0.5 + b[i], sum = 0;

			for (int k = 0; k < 20; k++)
				sum = sum * x * 0.1 + 0.2;
			a[i] = sum;                        /* hot */
		}
	}
	printf("%.6g\n", a[nr / 2]);
	free(a);
	free(b);
	return 0;
}
