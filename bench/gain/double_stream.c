/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  double where float will do: twice the bytes from memory
 * remedy   float
 * arrays   a b c
 * kinds    bandwidth reuse
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef MENDED
typedef float real;
#else
typedef double real;
#endif

int main(void)
{
	long nr = 12000000;
	real *a = malloc(nr * sizeof(*a)), *b = malloc(nr * sizeof(*b)), *c = malloc(nr * sizeof(*c));

#pragma omp parallel for
	for (long i = 0; i < nr; i++) {
		a[i] = 0;
		b[i] = i % 10;
		c[i] = 1;
	}
	for (int step = 0; step < 100; step++) {
#pragma omp parallel for
		for (long i = 0; i < nr; i++)                /* hot */
			a[i] = b[i] + (real)0.5 * c[i];      /* hot */
	}
	printf("%g\n", (double)a[nr / 2]);
	free(a);
	free(b);
	free(c);
	return 0;
}
