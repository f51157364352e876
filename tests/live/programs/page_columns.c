/* SPDX-License-Identifier: Apache-2.0 */
/* A two-dimensional array that is read by columns. */
#include <stdio.h>

#define N 1500

static double grid[N][N];

int main(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			grid[i][j] = i + j;
	for (int step = 0; step < 40; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (int j = 0; j < N; j++)
			for (int i = 0; i < N; i++)
				sum += grid[i][j];      /* HERE: columns */
	}
	printf("%g\n", sum);
	return 0;
}
