/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that come from allocation wrappers, from a wrapper of one, and from malloc for pointers to rows. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 300 };

struct grid { double *u, *v, *w; };

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

/* Its caller passes the address of the pointer. */
__attribute__((noinline)) static size_t make(double **memory, size_t nr)
{
	*memory = (double *)malloc(nr * sizeof(double));
	if (!*memory)
		exit(3);
	for (size_t i = 0; i < nr; i++)
		(*memory)[i] = 1;
	return nr * sizeof(double);
}

int main(void)
{
	double *left = xmalloc(N * N * sizeof(double)), *right = xmalloc(N * N * sizeof(double));
	struct grid grid, *fields = &grid;
	double (*temp)[N] = malloc(N * sizeof(*temp)), *outer, *tally, sum = 0;
	size_t bytes = 0;

	outer = vector_alloc(N * N);
	fields->u = vector_alloc(N * N);
	fields->v = xmalloc(N * N * sizeof(double));
	bytes += make(&tally, N * N);
	bytes += make(&(fields->w), N * N);
	for (int step = 0; step < 50; step++)
		#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++) {
				temp[i][j] = left[i * N + j] = right[i * N + j] = i + j;
				outer[i * N + j] = temp[i][j] + left[i * N + j];
				grid.u[i * N + j] = outer[i * N + j];
				grid.v[i * N + j] = grid.u[i * N + j] + right[i * N + j];
				tally[i * N + j] += grid.w[i * N + j] + bytes * 1e-6;
				sum += grid.v[i * N + j] + tally[i * N + j];
			}
	printf("%.0f\n", sum);
	return 0;
}
