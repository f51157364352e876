/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One parallel region, executed once, is all that uses OpenMP. The number of threads is set in the
 * environment before. "race": two threads of the program's own begin one each at the same time.
 * "started": the runtime was started before, so it does not see that number.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 1160 /* no power of two: no cache conflicts */

static double table[SIDE][SIDE];
static int repeats = 6; /* the region is most of the time */

static double by_columns(int *threads)
{
	double sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
		if (omp_get_thread_num() == 0)
			*threads = omp_get_num_threads();
#pragma omp for
		for (int column = 0; column < SIDE; column++)
			for (int n = 0; n < repeats; n++)
				for (int row = 0; row < SIDE; row++)
					sum += table[row][(column + 64 * n) % SIDE];
	}
	return sum;
}

static void *race(void *barrier)
{
	int threads;

	pthread_barrier_wait(barrier);
	return (void *)(size_t)(by_columns(&threads) == (double)repeats * SIDE * SIDE);
}

static int race_all(void)
{
	pthread_barrier_t barrier;
	pthread_t other;
	void *right;

	repeats = 1;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&other, NULL, race, &barrier);
	printf("%d", race(&barrier) != NULL);
	pthread_join(other, &right);
	printf(" %d\n", right != NULL);
	return 0;
}

int main(int argc, char **argv)
{
	int threads = 0;
	double sum;

	for (int row = 0; row < SIDE; row++)
		for (int column = 0; column < SIDE; column++)
			table[row][column] = 1;
	if (argc > 1 && !strcmp(argv[1], "started") && omp_get_max_threads() < 1)
		return 4;
	setenv("OMP_NUM_THREADS", "2", 1);
	if (argc > 1 && !strcmp(argv[1], "race"))
		return race_all();
	sum = by_columns(&threads);
	printf("%.0f %d\n", sum, threads);
	return 3;
}
