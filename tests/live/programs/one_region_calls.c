/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As one_region.c, but all work-shared loops are in functions that the region calls, some through another function: no event
 * comes from the region's own code.
 */
#include <stdio.h>
#include <stdlib.h>

#define CELLS 100000
#define APART __attribute__((noinline, noclone))

static double heat[CELLS], next[CELLS];

APART static double forth(double factor)
{
#pragma omp for
	for (int i = 0; i < CELLS; i++)
		next[i] = heat[i] * factor + 0.125 * (1 + i % 3);     /* never 0: values do not come to be denormal */
	return factor * 2;
}

APART static void back(double factor)
{
#pragma omp for
	for (int i = 0; i < CELLS; i++)
		heat[i] = next[i] * factor;
}

/* Keeps values in registers that are saved on the stack, and in the frame, across calls. */
APART static int step(int number, int *left)
{
	double factor = 0.75 + (number < 0);

	factor = forth(factor) / 2;
	back(0.9990234375 * (factor / 0.75));
	return number + 1 + (*left < 0);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 1000;
	double sum = 0;

	for (int i = 0; i < CELLS; i++)
		heat[i] = i % 17;
#pragma omp parallel
	for (int number = 0; number < steps;)
		number = step(number, &steps);
	for (int i = 0; i < CELLS; i++)
		sum += heat[i];
	printf("%.17e\n", sum);
	return 0;
}
