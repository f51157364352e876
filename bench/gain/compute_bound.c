/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  none: a polynomial for each element, all of them in the first-level cache
 * remedy   none
 * arrays   values
 * nothing to gain
 */
#include <stdio.h>

#define N 2000

static double values[N];

int main(void)
{
	for (int step = 0; step < 3500; step++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++) {                           /* hot */
			double x = values[i] * 0.5 + 0.1, sum = 0;

			for (int k = 0; k < 200; k++)
				sum = sum * x + 1;
			values[i] = sum / 1000;                         /* hot */
		}
	}
	printf("%.6g\n", values[N / 2]);
	return 0;
}
