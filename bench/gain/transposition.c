/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  a transposition reads along columns, whose lines the second-level cache does not hold until the next column
 * remedy   transpose by blocks
 * arrays   from
 * kinds    transposition
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 40000
#define COLUMNS 400
#define BLOCK 40

static double from[ROWS][COLUMNS], to[COLUMNS][ROWS];

static void transpose(void)
{
#ifdef MENDED
#pragma omp parallel for
	for (int jj = 0; jj < COLUMNS; jj += BLOCK)
		for (int ii = 0; ii < ROWS; ii += BLOCK)
			for (int j = jj; j < jj + BLOCK; j++)
				for (int i = ii; i < ii + BLOCK; i++)
					to[j][i] = from[i][j];
#else
#pragma omp parallel for
	for (int j = 0; j < COLUMNS; j++)              /* hot */
		for (int i = 0; i < ROWS; i++)
			to[j][i] = from[i][j];         /* hot */
#endif
}

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			from[i][j] = i - j;
	for (int step = 0; step < 40; step++)
		transpose();
	printf("%g\n", to[3][5]);
	return 0;
}
