/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A triangular loop nest: equal numbers of iterations are unequal work, and most threads wait.
 * Remedy: schedule(dynamic, 8).
 */
#include <stdio.h>

#define N 300

static double result[N];

int main(void)
{
	for (int step = 0; step < 200; step++) {
#pragma omp parallel for schedule(static)                       /* hot */
		for (int i = 0; i < N; i++) {                           /* hot */
			double sum = 0;

			for (int j = 0; j < i; j++)                     /* hot */
				for (int k = 0; k < j; k++)             /* hot */
					sum += 1.0 / (1 + j + k);       /* hot */
			result[i] += sum;
		}
	}
	printf("%.6g\n", result[N - 1]);
	return 0;
}
