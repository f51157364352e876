/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  a matrix of many short rows, each allocated by itself and in random order: pointers lead to it
 * remedy   one block for the whole matrix
 * arrays   rows
 * kinds    irregular_access
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 1000000
#define COLUMNS 6

#ifdef MENDED
#define ELEMENT(i, j) matrix[(i) * COLUMNS + (j)]
#else
#define ELEMENT(i, j) rows[i][j]
#endif

int main(void)
{
	double **rows = malloc(ROWS * sizeof(*rows));
	double *matrix = calloc((size_t)ROWS * COLUMNS, sizeof(*matrix)), sum = 0;
	int *order = malloc(ROWS * sizeof(*order));
	unsigned x = 1;

	for (int i = 0; i < ROWS; i++)
		order[i] = i;
	for (int i = ROWS - 1; i > 0; i--) {
		int j = ((x = x * 1664525u + 1013904223u) >> 3) % (i + 1), before = order[i];

		order[i] = order[j];
		order[j] = before;
	}
	for (int i = 0; i < ROWS; i++)
		rows[order[i]] = calloc(COLUMNS, sizeof(**rows));
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			ELEMENT(i, j) = i + j;
	for (int step = 0; step < 130; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < ROWS; i++)                  /* hot */
			for (int j = 0; j < COLUMNS; j++)
				sum += ELEMENT(i, j);           /* hot */
	}
	printf("%.6g\n", sum);
	return 0;
}
