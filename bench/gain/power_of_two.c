/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  rows of 4096 bytes: all lines of a column fall into one set of the first-level cache
 * remedy   rows longer by one cache line
 * arrays   field
 * kinds    conflicts
 */
#include <stdio.h>

#define ROWS 256
#ifdef MENDED
#define COLUMNS (512 + 8)
#else
#define COLUMNS 512
#endif

static double field[2][ROWS][COLUMNS], sums[2][512];

int main(void)
{
	double sum = 0;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < 512; j++)
			field[0][i][j] = field[1][i][j] = i + j;
	for (int step = 0; step < 3600; step++) {
#pragma omp parallel for
		for (int half = 0; half < 2; half++)
			for (int j = 0; j < 512; j++) {           /* hot */
				double column = 0;

				for (int i = 0; i < ROWS; i++)
					column += field[half][i][j];   /* hot */
				sums[half][j] = column;
			}
	}
	for (int j = 0; j < 512; j++)
		sum += sums[0][j] + sums[1][j];
	printf("%.6g\n", sum);
	return 0;
}
