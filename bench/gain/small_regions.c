/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  a parallel region for each short row: starting and ending it costs more than the work
 * remedy   one region for all rows
 * arrays   -
 * kinds    RegionTooSmall LoopTooSmall WorkTooFine
 */
#include <stdio.h>

#define ROWS 2000
#define COLUMNS 200

static double field[ROWS][COLUMNS];

int main(void)
{
	for (int step = 0; step < 100; step++) {
#ifdef MENDED
#pragma omp parallel for
		for (int i = 0; i < ROWS; i++)
			for (int j = 0; j < COLUMNS; j++)
				field[i][j] = field[i][j] * 0.5 + i;
#else
		for (int i = 0; i < ROWS; i++) {                       /* hot */
#pragma omp parallel for
			for (int j = 0; j < COLUMNS; j++)
				field[i][j] = field[i][j] * 0.5 + i;   /* hot */
		}
#endif
	}
	printf("%.6g\n", field[5][7]);
	return 0;
}
