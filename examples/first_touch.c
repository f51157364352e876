/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread initialises arrays that all threads use: all pages are on that thread's NUMA node.
 * Remedy: initialise in parallel, with the schedule of the loops that use the arrays.
 */
#include <stdio.h>
#include <stdlib.h>

#define N 8000000

int main(void)
{
	double *a = malloc(N * sizeof(*a)), *b = malloc(N * sizeof(*b));

	for (int i = 0; i < N; i++) {                /* first touch */
		a[i] = i % 10;
		b[i] = 1;
	}
	for (int step = 0; step < 60; step++) {
#pragma omp parallel for schedule(static)
		for (int i = 0; i < N; i++)          /* hot */
			a[i] = 0.5 * a[i] + b[i];    /* hot */
	}
	printf("%.6g\n", a[N / 2]);
	free(a);
	free(b);
	return 0;
}
