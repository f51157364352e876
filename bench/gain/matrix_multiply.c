/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  matrix multiplication in the order i, j, k: b is read along its columns
 * remedy   the order i, k, j
 * arrays   b
 * kinds    loop_order transposition
 */
#include <stdio.h>

#define N 400

static double a[N][N], b[N][N], c[N][N];

static void multiply(void)
{
#ifdef MENDED
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i][j] += a[i][k] * b[k][j];
#else
#pragma omp parallel for
	for (int i = 0; i < N; i++)                    /* hot */
		for (int j = 0; j < N; j++) {
			double sum = c[i][j];

			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];    /* hot */
			c[i][j] = sum;
		}
#endif
}

int main(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i % 7;
			b[i][j] = j % 5;
		}
	for (int step = 0; step < 80; step++)
		multiply();
	printf("%.6g\n", c[N / 3][N / 2]);
	return 0;
}
