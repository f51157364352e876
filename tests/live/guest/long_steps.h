/* SPDX-License-Identifier: Apache-2.0 */
/* A program of some 3000 short steps over two arrays, for guests about memory and limits: static arrays only, and a sum of all elements. */
#ifndef MEMSEARCH_TEST_LONG_STEPS_H
#define MEMSEARCH_TEST_LONG_STEPS_H

#define N 60000
static double a[N], b[N];

static void steps(int nr)
{
	for (int step = 0; step < nr; step++) {
#pragma omp parallel for schedule(static)
		for (int i = 1; i < N - 1; i++)
			a[i] = (b[i - 1] + b[i + 1]) * 0.25 + i * 1e-3;
#pragma omp parallel for schedule(static)
		for (int i = 0; i < N; i++)
			b[i] = a[i] * 0.5 / (1 + a[i] * a[i]);
	}
}

static double sum(void)
{
	double all = 0;

	for (int i = 0; i < N; i++)
		all += a[i] + b[i];
	return all;
}

#endif
