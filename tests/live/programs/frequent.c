/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of two parallel regions. In one thread 1 has three times the work of thread 0; in the other both
 * threads execute a construct every few ns, whose events take many times as long as the program.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 600
#define OFTEN 100000

static double field[ROWS];
static long counted[2][64];

static void uneven(void)
{
#pragma omp parallel for schedule(static) /* HERE: uneven */
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < 10 * i; k++)
			field[i] = 0.5 * field[i] + k;
}

static void often(void)
{
#pragma omp parallel /* HERE: often */
	{
		int self = omp_get_thread_num();

		for (int i = 0; i < OFTEN; i++) {
#pragma omp masked filter(self)
			counted[self][i % 4] += i;
		}
	}
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 400;

	for (int step = 0; step < steps; step++) {
		uneven();
		often();
	}
	printf("%ld %g\n", counted[0][1], field[1]);
	return 0;
}
