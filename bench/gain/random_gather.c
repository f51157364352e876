/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  indices in random order lead to a table that is larger than the caches
 * remedy   sort the indices
 * arrays   table
 * kinds    irregular_access
 */
#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

int main(void)
{
	long nr = 1000000, size = 8000000;
	double *table = malloc(size * sizeof(*table)), sum = 0;
	int *index = malloc(nr * sizeof(*index));
	unsigned x = 1;

#pragma omp parallel for
	for (long i = 0; i < size; i++)
		table[i] = i % 10;
	for (long i = 0; i < nr; i++) {
		x = x * 1664525u + 1013904223u;
		index[i] = (x >> 4) % size;
	}
#ifdef MENDED
	qsort(index, nr, sizeof(*index), ascending);
#else
	(void)ascending;
#endif
	for (int step = 0; step < 250; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (long i = 0; i < nr; i++)          /* hot */
			sum += table[index[i]];        /* hot */
	}
	printf("%.6g\n", sum);
	return 0;
}
