/* SPDX-License-Identifier: Apache-2.0 */
/* A program of gcc that calls a library of clang, from serial code and from parallel regions: two OpenMP runtimes. */
#include <stdio.h>
#include <stdlib.h>

double relax(double *values, int nr);

enum { NR = 20000 };
static double values[NR];

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 30;
	double sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic, 100)
		for (int i = 0; i < NR; i++)
			values[i] = values[i] * 0.5 + i;
		sum += relax(values, NR);
#pragma omp parallel num_threads(2) reduction(+ : sum)
		{
			double mine[64] = { step };

			sum += relax(mine, 64);
		}
	}
	printf("%.17g\n", sum);
	return 0;
}
