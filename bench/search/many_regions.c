/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of many regions for bench/search.sh: in each step 32 parallel regions that are in order, and four in which something is wrong: iterations of
 * different cost in the second of three loops, one thread with most of the work, a critical construct in an inner parallel region, and columns of a matrix.
 * Usage: many_regions [STEPS]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 6000
#define SIDE 1500

static double cells[CELLS], matrix[SIDE][SIDE], total;

static double work(int nr)
{
	double value = 1;

	for (int i = 0; i < nr; i++)
		value = value * 0.999 + 0.001 * i;
	return value;
}

#define SMALL(number) \
	static void small_##number(void) \
	{ \
		_Pragma("omp parallel") \
		{ \
			_Pragma("omp for") for (int i = 0; i < CELLS; i++) cells[i] += 0.5 * i + number; \
			_Pragma("omp for") for (int i = 0; i < CELLS; i++) cells[i] *= 0.25; \
		} \
	}
#define EIGHT(X, tens) X(tens##0) X(tens##1) X(tens##2) X(tens##3) X(tens##4) X(tens##5) X(tens##6) X(tens##7)
#define ALL(X) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4)
ALL(SMALL)

static void uneven_loop(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < CELLS; i++)
			cells[i] += work(20);
#pragma omp for schedule(static)
		for (int i = 0; i < 400; i++)
			cells[i] += work(40 * i);
#pragma omp for
		for (int i = 0; i < CELLS; i++)
			cells[i] *= 0.5;
	}
}

static void slow_thread(void)
{
#pragma omp parallel
	cells[omp_get_thread_num()] += work(omp_get_thread_num() ? 100000 : 5000000);
}

static void contended(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for
		for (int i = 0; i < 2000; i++) {
#pragma omp critical
			total += work(1500);
		}
	}
}

static void columns(void)
{
#pragma omp parallel for
	for (int i = 1; i < SIDE - 1; i++)
		for (int k = 1; k < SIDE - 1; k++)
			matrix[k][i] = 0.5 * (matrix[k][i - 1] + matrix[k][i + 1]);
}

#define CALL(number) small_##number();

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 200;

	for (int step = 0; step < steps; step++) {
		ALL(CALL)
		uneven_loop();
		slow_thread();
		contended();
		columns();
	}
	printf("%g %g %g\n", cells[7], total, matrix[5][5]);
	return 0;
}
