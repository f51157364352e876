/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix of rows of their own, each less than a page, allocated in serial code by a function that others call, too. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2000, COLUMNS = 66 };

static double **matrix_new(void)
{
	double **matrix = malloc(ROWS * sizeof(*matrix));

	for (int row = 0; row < ROWS; row++)
		matrix[row] = malloc(COLUMNS * sizeof(**matrix));        /* HERE: row */
	return matrix;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 20;
	double **from = matrix_new(), **to = matrix_new();

	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < COLUMNS; column++)
			from[row][column] = to[row][column] = row + column + argc;
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static)
		for (int column = 0; column < COLUMNS; column++)
			for (int row = 0; row < ROWS; row++)
				to[row][column] += from[row][column];
	}
	printf("%g\n", to[ROWS - 1][COLUMNS - 1]);
	return 0;
}
