/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that come from an allocation wrapper, from a wrapper of it, and from malloc for pointers to rows. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 300 };

struct grid { double *u, *v; };

__attribute__((noinline)) static void *xmalloc(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory)
		exit(3);
	return memory;
}

__attribute__((noinline)) static double *vector_alloc(size_t nr)
{
	double *vector = xmalloc(nr * sizeof(*vector));

	vector[0] = 0;
	return vector;
}

int main(void)
{
	double *left = xmalloc(N * N * sizeof(double)), *right = xmalloc(N * N * sizeof(double));
	struct grid grid, *fields = &grid;
	double (*temp)[N] = malloc(N * sizeof(*temp)), *outer, sum = 0;

	outer = vector_alloc(N * N);
	fields->u = vector_alloc(N * N);
	fields->v = xmalloc(N * N * sizeof(double));
	for (int step = 0; step < 50; step++)
		#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++) {
				temp[i][j] = left[i * N + j] = right[i * N + j] = i + j;
				outer[i * N + j] = temp[i][j] + left[i * N + j];
				grid.u[i * N + j] = outer[i * N + j];
				grid.v[i * N + j] = grid.u[i * N + j] + right[i * N + j];
				sum += grid.v[i * N + j];
			}
	printf("%.0f\n", sum);
	return 0;
}
