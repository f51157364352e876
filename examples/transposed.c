/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stencil whose inner loop runs over the rows of a C matrix: consecutive accesses are 13 KB apart.
 * Remedy: exchange the two loops.
 */
#include <stdio.h>

#define N 1600

static double pressure[N][N], flow[N][N];

static void compute_flow(void)
{
#pragma omp parallel for
	for (int j = 1; j < N - 1; j++)                                              /* hot */
		for (int i = 1; i < N - 1; i++)                                      /* hot */
			flow[i][j] = 0.5 * (pressure[i][j + 1] - pressure[i][j - 1]); /* hot */
}

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			pressure[i][j] = i + 0.5 * j;
	for (int step = 0; step < 60; step++)
		compute_flow();
	printf("%.6g\n", flow[N / 2][N / 2]);
	return 0;
}
