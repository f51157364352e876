/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  the inner loop runs over the rows of a C matrix: each access is a page away from the previous one
 * remedy   exchange the loops
 * arrays   temp
 * kinds    loop_order
 */
#include <stdio.h>

#define N 3000

static double temp[N][N];

static double sum_of(void)
{
	double sum = 0;

#ifdef MENDED
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			sum += temp[i][j];
#else
#pragma omp parallel for reduction(+ : sum)
	for (int j = 0; j < N; j++)            /* hot */
		for (int i = 0; i < N; i++)
			sum += temp[i][j];     /* hot */
#endif
	return sum;
}

int main(void)
{
	double sum = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			temp[i][j] = i + j;
	for (int step = 0; step < 80; step++)
		sum += sum_of();
	printf("%.6g\n", sum);
	return 0;
}
