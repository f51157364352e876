/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays whose misses on the machine of small.machine (L1 4 KiB, L2 32 KiB, 8 ways, L3 256 KiB, lines of 64 bytes) can be told by thought;
 * each has a twin that does the same work without the problem.
 *
 *     by_columns   rows of 2048 bytes walked down: the lines of a column fall into 2 sets of L2, 16 ways for 128 lines: conflicts
 *     padded       the same with a line more in each row: none
 *     large        512 KiB read again and again: more than all caches, capacity
 *     counts       8 bytes a thread, side by side: falsely shared
 *     apart        the same a line apart: not shared
 *     sparse       every 16th of 4-byte elements: 4 of 64 bytes of each line used
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 128
#define COLUMNS 256
#define LARGE (1 << 16)
#define THREADS 2
#define COUNTS (50000 * TIMES)
#define TIMES 12                         /* so that there is work enough for a busy machine, where a barrier takes what a turn of another program takes */

static double by_columns[ROWS][COLUMNS] __attribute__((aligned(4096))), padded[ROWS][COLUMNS + 8] __attribute__((aligned(4096)));
static double large[LARGE] __attribute__((aligned(4096)));
static volatile long counts[8] __attribute__((aligned(64)));
static volatile long apart[8 * THREADS] __attribute__((aligned(64)));
static int sparse[16 * 4096] __attribute__((aligned(4096)));

static double columns(void)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum) schedule(static)
	for (int thread = 0; thread < THREADS; thread++)
		for (int j = 0; j < TIMES * COLUMNS; j++)
			for (int i = 0; i < ROWS; i++)
				sum += by_columns[i][j % COLUMNS] + padded[i][j % COLUMNS];
	return sum;
}

static double twice(void)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum) schedule(static)
	for (int thread = 0; thread < THREADS; thread++)
		for (int time = 0; time < 8 * TIMES; time++)      /* a few us each */
			for (int i = 0; i < LARGE; i += 8)
				sum += large[i];
	return sum;
}

static void count(void)
{
#pragma omp parallel for schedule(static)
	for (int thread = 0; thread < THREADS; thread++)
		for (int i = 0; i < COUNTS; i++) {
			counts[thread]++;
			apart[8 * thread]++;
		}
}

static long jump(void)
{
	long sum = 0;

#pragma omp parallel for reduction(+ : sum) schedule(static)
	for (int thread = 0; thread < THREADS; thread++)
		for (int i = 0; i < TIMES * 4096; i++)
			sum += sparse[16 * i % (16 * 4096)];
	return sum;
}

static void fill(int value)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			by_columns[i][j] = padded[i][j] = value;
	for (int i = 0; i < LARGE; i++)
		large[i] = sparse[i] = value;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 400;
	double sum = 0;

	fill(argc);
	for (int step = 0; step < steps; step++) {
		sum += columns() + twice();
		count();
		sum += (double)jump();
	}
	printf("%g %ld %ld\n", sum, counts[0] + counts[1], apart[0] + apart[8]);
	return 0;
}
