/* SPDX-License-Identifier: Apache-2.0 */
/* 96 steps, of which each sixth does a little more. */
#include <stdio.h>

#define VALUES 2000000

static double from[VALUES], to[VALUES];

static void step(void)
{
#pragma omp parallel for
	for (int i = 0; i < VALUES; i++)
		to[i] = 0.5 * from[i] + 1;
#pragma omp parallel for
	for (int i = 0; i < VALUES; i++)
		from[i] = to[i] * 0.5 + 2;
}

static double sum_up(void)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += from[i * (VALUES / 100)];
	return sum;
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < 96; i++) {
		step();
		if (i % 6 == 0)
			sum += sum_up();
	}
	printf("%.3f\n", sum);
	return 0;
}
