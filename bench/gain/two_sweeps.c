/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  two loops, one after the other, sweep over the same arrays, which are larger than the caches
 * remedy   fuse the loops
 * arrays   u v
 * kinds    bandwidth reuse
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	long nr = 12000000;
	double *u = malloc(nr * sizeof(*u)), *v = malloc(nr * sizeof(*v));

#pragma omp parallel for
	for (long i = 0; i < nr; i++) {
		u[i] = i % 10;
		v[i] = 1;
	}
	for (int step = 0; step < 120; step++) {
#ifdef MENDED
#pragma omp parallel for
		for (long i = 0; i < nr; i++) {
			u[i] = 0.5 * u[i] + v[i];
			v[i] = 0.5 * v[i] + u[i];
		}
#else
#pragma omp parallel for
		for (long i = 0; i < nr; i++)        /* hot */
			u[i] = 0.5 * u[i] + v[i];
#pragma omp parallel for
		for (long i = 0; i < nr; i++)
			v[i] = 0.5 * v[i] + u[i];    /* hot */
#endif
	}
	printf("%.6g\n", u[nr / 2] + v[nr / 3]);
	free(u);
	free(v);
	return 0;
}
