/* SPDX-License-Identifier: Apache-2.0 */
/* Constructs, loops, calls and arrays that sir.sh expects; half of them are never executed. */
#include <stdio.h>
#define N 1000
double a[N][N], b[N][N], sum;
static float w[64];
double *heap;

static __attribute__((noinline)) double inner(int i)
{
	double s = 0;

	for (int j = 0; j < N; j++) /* HERE: inner */
		s += a[i][j] * w[j % 64];
	return s;
}

__attribute__((noinline)) void never(int n)
{
#pragma omp parallel /* HERE: never */
	{
#pragma omp for schedule(dynamic, 4) /* HERE: dynamic */
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++) /* HERE: nested */
				b[i][j] = a[j][i];
#pragma omp single /* HERE: single */
		printf("single\n");
#pragma omp critical /* HERE: critical */
		sum += heap[n];
	}
}

int main(int argc, char **argv)
{
	(void)argv;
	for (int step = 0; step < argc * 10; step++) { /* HERE: steps */
#pragma omp parallel for /* HERE: static */
		for (int i = 1; i < N; i++)
			for (int j = 0; j < N; j++) /* HERE: columns */
				a[i][j] = b[i - 1][j] + inner(i);
	}
	if (argc > 3)
		never(argc);
#pragma omp parallel
#pragma omp single
	for (int t = 0; t < argc; t++) {
#pragma omp task /* HERE: task */
		for (int k = 0; k < N; k++)
			w[t] += (float)k;
	}
	return (int)sum;
}
