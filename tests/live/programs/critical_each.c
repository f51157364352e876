/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest of 300,000 values, in a critical construct in each iteration. Each is computed in it,
 * so that threads wait on every machine, also where others take part of the CPUs.
 */
#include <math.h>
#include <stdio.h>

#define N 300000

static double value[N];

int main(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		value[i] = sin(i * 0.7);
	for (int step = 0; step < 300; step++) {
		double best = -1;

#pragma omp parallel for
		for (int i = 0; i < N; i++) {
#pragma omp critical /* HERE: critical */
			{
				double here = cos(value[i] * step);

				if (here > best)
					best = here;
			}
		}
		sum += best;
	}
	printf("%.6g\n", sum);
	return 0;
}
