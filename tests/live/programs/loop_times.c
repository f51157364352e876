/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of known shares of the time: each iteration is a division that waits for the one before, so
 * that time is in proportion to the number of iterations. Another kind leaves loops by return,
 * longjmp.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 32
#define UNIT 500 /* divisions */

static double row_of[ROWS][8];

__attribute__((noinline)) static double called(double *row)
{
	double x = row[0] + 1;

	for (int i = 0; i < UNIT; i++)        /* HERE: called */
		x = 3 / (x + row[1]);
	return x;
}

/* One part in the function, two and four in loops, and eight in a loop inside of another. */
static void shares(int steps)
{
	double sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < ROWS; i++) {
			double *row = row_of[i], x = 1;

			for (int j = 0; j < 2 * UNIT; j++)        /* HERE: two */
				x = 3 / (x + row[2]);
			for (int j = 0; j < 4 * UNIT; j++)        /* HERE: four */
				x = 5 / (x + row[3]);
			for (int k = 0; k < 4; k++) {        /* HERE: outer */
				for (int j = 0; j < 2 * UNIT; j++)        /* HERE: inner */
					x = 7 / (x + row[4]);
				row[5] = x;
			}
			sum += x + called(row);
		}
	}
	printf("%.12g\n", sum);
}

/* Left in the middle, by return and by goto: these are exits of the loops. */
__attribute__((noinline)) static double returned(double *row, int last)
{
	double x = 1;

	for (int k = 0; k < 10; k++) {        /* HERE: returned */
		for (int j = 0; j < UNIT; j++)        /* HERE: returned_inner */
			x = 3 / (x + row[2]);
		if (k == last)
			return x;
		row[6] = x;
	}
	return -x;
}

static void returns(int steps)
{
	double sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < ROWS; i++)
			sum += returned(row_of[i], i % 4);
	}
	printf("%.12g\n", sum);
}

/* Left by longjmp: these have no exit. */
__attribute__((noinline)) static double jumped(double *row, jmp_buf out, int last)
{
	double x = 1;

	for (int k = 0; k < 10; k++) {
		for (int j = 0; j < UNIT; j++)
			x = 3 / (x + row[2]);
		row[7] = x;
		if (k == last)
			longjmp(out, 1);
	}
	return -x;
}

__attribute__((noinline)) static double around(double *row, int last)
{
	jmp_buf out;

	if (setjmp(out))
		return row[7];
	return jumped(row, out, last);
}

static void jumps(int steps)
{
	double sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < ROWS; i++)
			sum += around(row_of[i], i % 4);
	}
	printf("%.12g\n", sum);
}

/* A loop so short that the clock cannot be read around it. */
static void shorts(int steps)
{
	double sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < ROWS; i++) {
			double *row = row_of[i], x = 1;

			for (int k = 0; k < 80 * UNIT; k++) {        /* HERE: short_outer */
				for (int j = 0; j < (int)row[5]; j++)        /* HERE: short */
					x = x * 0.5 + row[3];
				row[6] = x;
			}
			sum += x;
		}
	}
	printf("%.12g\n", sum);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	int steps = argc > 2 ? atoi(argv[2]) : 1;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < 8; j++)
			row_of[i][j] = j == 5 ? 1 : 1.0 / (1 + j);
	if (!strcmp(kind, "shares"))
		shares(steps);
	else if (!strcmp(kind, "returns"))
		returns(steps);
	else if (!strcmp(kind, "jumps"))
		jumps(steps);
	else
		shorts(steps);
	return 7;
}
