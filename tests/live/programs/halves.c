/* SPDX-License-Identifier: Apache-2.0 */
/* One array, whose first half is read value by value and whose second half by columns; rows on the heap, of which a few columns are; a copy of all of it by memcpy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 512
#define COLUMNS 512
#define BLOCKS 64
#define IN_BLOCK 4096
#define STEPS 800

static double halves[ROWS][COLUMNS], copied[ROWS][COLUMNS];
static double *blocks[BLOCKS];

static double by_rows(void)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int row = 0; row < ROWS / 2; row++)
		for (int column = 0; column < COLUMNS; column++)
			sum += halves[row][column];
	return sum;
}

static double by_columns(void)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int column = 0; column < COLUMNS; column++)
		for (int row = ROWS / 2; row < ROWS; row++)
			sum += halves[row][column];
	return sum;
}

static double in_blocks(void)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int block = 0; block < BLOCKS; block++)
		for (int i = 0; i < 1024; i++)
			sum += blocks[block][i];
	return sum;
}

static double copy(void)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int part = 0; part < 2; part++) {
		memcpy(copied[part * ROWS / 2], halves[part * ROWS / 2], sizeof(halves) / 2);
		sum += copied[part * ROWS / 2][1];
	}
	return sum;
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < ROWS * COLUMNS; i++)
		(&halves[0][0])[i] = i % 7;
	for (int block = 0; block < BLOCKS; block++) {
		blocks[block] = malloc(IN_BLOCK * sizeof(double));
		for (int i = 0; i < IN_BLOCK; i++)
			blocks[block][i] = i % 3;
	}
	for (int step = 0; step < STEPS; step++)
		sum += by_rows() + by_columns() + in_blocks() + copy();
	printf("%.17g\n", sum);
	return 0;
}
