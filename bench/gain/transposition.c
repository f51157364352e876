/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  a transposition reads along columns: each access needs another page
 * remedy   transpose by blocks
 * arrays   from
 * kinds    transposition
 */
#include <stdio.h>
#include <stdlib.h>

#define N 4100
#define BLOCK 10

static double from[N][N], to[N][N];

static void transpose(void)
{
#ifdef MENDED
#pragma omp parallel for
	for (int ii = 0; ii < N; ii += BLOCK)
		for (int jj = 0; jj < N; jj += BLOCK)
			for (int i = ii; i < ii + BLOCK; i++)
				for (int j = jj; j < jj + BLOCK; j++)
					to[i][j] = from[j][i];
#else
#pragma omp parallel for
	for (int i = 0; i < N; i++)                    /* hot */
		for (int j = 0; j < N; j++)
			to[i][j] = from[j][i];         /* hot */
#endif
}

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			from[i][j] = i - j;
	for (int step = 0; step < 40; step++)
		transpose();
	printf("%g\n", to[3][5]);
	return 0;
}
