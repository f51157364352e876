/* SPDX-License-Identifier: Apache-2.0 */
/* The whole time loop in one parallel region: each step reads 2 CELLS and writes 2 CELLS values of two arrays. */
#include <stdio.h>
#include <stdlib.h>

#define CELLS 100000
#ifndef SCHEDULE
#define SCHEDULE static
#endif

static double heat[CELLS], next[CELLS];

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 1000;
	double sum = 0;

	for (int i = 0; i < CELLS; i++)
		heat[i] = i % 17;
#pragma omp parallel
	for (int step = 0; step < steps; step++) {
#pragma omp for schedule(SCHEDULE)
		for (int i = 0; i < CELLS; i++)
			next[i] = heat[i] * 0.75 + 0.125 * (1 + i % 3);     /* never 0: values do not come to be denormal */
#pragma omp for schedule(SCHEDULE)
		for (int i = 0; i < CELLS; i++)
			heat[i] = next[i] * 0.9990234375;
	}
	for (int i = 0; i < CELLS; i++)
		sum += heat[i];
	printf("%.17e\n", sum);
	return 0;
}
