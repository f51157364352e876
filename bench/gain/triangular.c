/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  the iterations of a triangular loop grow: equal numbers of them are unequal work
 * remedy   schedule(dynamic, 8)
 * arrays   -
 * kinds    SlowThreads LoadImbalance ImbalanceInRegion ImbalanceInLoop
 */
#include <stdio.h>

#define N 6000
#ifdef MENDED
#define SCHEDULE dynamic, 8
#else
#define SCHEDULE static
#endif

static double weights[N], result[N];

int main(void)
{
	for (int i = 0; i < N; i++)
		weights[i] = i % 10;
	for (int step = 0; step < 100; step++) {
#pragma omp parallel for schedule(SCHEDULE)
		for (int i = 0; i < N; i++) {                  /* hot */
			double sum = 0;

			for (int j = 0; j < i; j++)
				sum += weights[j];
			result[i] = sum;                       /* hot */
		}
	}
	printf("%.6g\n", result[N - 1]);
	return 0;
}
