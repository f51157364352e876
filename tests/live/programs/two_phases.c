/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two loops of time steps, one behind the other: in the first one thread has all the work, the
 * second is even. Arguments: steps of each.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double sums[64 * 16];

static double work(long nr)
{
	double sum = 0;

	for (long i = 1; i <= nr; i++)
		sum += 1.0 / (double)i;
	return sum;
}

static void uneven(void)
{
#pragma omp parallel
	sums[16 * omp_get_thread_num()] = work(omp_get_thread_num() ? 200000 : 2000000);
}

static void even(void)
{
#pragma omp parallel
	sums[16 * omp_get_thread_num()] = work(1000000);
}

int main(int argc, char **argv)
{
	int first = argc > 1 ? atoi(argv[1]) : 100, second = argc > 2 ? atoi(argv[2]) : 100;

	for (int i = 0; i < first; i++)
		uneven();
	for (int i = 0; i < second; i++)
		even();
	printf("%.6f\n", sums[0]);
	return 0;
}
