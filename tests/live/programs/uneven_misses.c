/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads miss the caches unevenly, in a loop that gives all of them as many iterations and accesses: iteration i reads a new line
 * for (1 - i / ROWS)² of its accesses, and one line again for the rest. With -DEVEN all iterations read new lines alone.
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 64
#define ACCESSES 16384
#define LINE 16                          /* doubles: 128 bytes */

static double lines[ROWS][ACCESSES * LINE];

static double read_row(int row)
{
#ifdef EVEN
	int new_lines = ACCESSES;
#else
	int new_lines = ACCESSES / ROWS * (ROWS - row) / ROWS * (ROWS - row);
#endif
	double sum = 0;

	for (int i = 0; i < new_lines; i++)
		sum += lines[row][i * LINE];
	for (int i = new_lines; i < ACCESSES; i++)
		sum += lines[row][i % LINE];
	return sum;
}

static double step(void)
{
	double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)    /* HERE: uneven */
	for (int row = 0; row < ROWS; row++)
		sum += read_row(row);
	return sum;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100;
	double sum = 0;

#pragma omp parallel for schedule(static)
	for (int row = 0; row < ROWS; row++)
		for (int i = 0; i < ACCESSES * LINE; i++)
			lines[row][i] = 1;
	for (int i = 0; i < steps; i++)
		sum += step();
	printf("%g\n", sum);
	return 0;
}
