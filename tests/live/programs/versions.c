/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of which tests compare versions: steps of four loops over static arrays and one of the heap.
 *     -DINLINED    the function that the second loop calls is inlined
 *     -DSTRIDED    the third loop goes through its array by columns
 *     -DONE_MORE   the first loop reads one array more, which only the fourth reads otherwise
 */
#include <stdio.h>
#include <stdlib.h>

#define N 480

#ifdef INLINED
#define OUTLINE static inline __attribute__((always_inline))
#else
#define OUTLINE static __attribute__((noinline))
#endif

static double heat[N][N], fresh[N][N], source[N][N], weights[N][N];
static double *history;

static void diffuse(void)
{
#pragma omp parallel for schedule(static)       /* HERE: diffuse */
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++)
#ifdef ONE_MORE
			fresh[i][j] = 0.25 * (heat[i - 1][j] + heat[i + 1][j] + heat[i][j - 1] + heat[i][j + 1]) + weights[i][j];
#else
			fresh[i][j] = 0.25 * (heat[i - 1][j] + heat[i + 1][j] + heat[i][j - 1] + heat[i][j + 1]);
#endif
}

OUTLINE double added(int i, int j)
{
	return fresh[i][j] + 0.01 * source[i][j];
}

static void add_sources(void)
{
#pragma omp parallel for schedule(static)       /* HERE: add_sources */
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			heat[i][j] = added(i, j);
}

static double keep(void)
{
	double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)    /* HERE: keep */
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
#ifdef STRIDED
			sum += history[j * N + i] += heat[i][j];
#else
			sum += history[i * N + j] += heat[i][j];
#endif
	return sum;
}

static double weigh(void)
{
	double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			sum += weights[i][j] * heat[i][j];
	return sum;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 300;
	double sum = 0;

	history = calloc((size_t)N * N, sizeof(*history));
	if (!history)
		return 1;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			source[i][j] = (i * 7 + j) % 5;
			weights[i][j] = (i + j) % 3;
		}
	for (int i = 0; i < steps; i++) {
		diffuse();
		add_sources();
		sum += keep() + weigh();
	}
	printf("%g\n", sum);
	free(history);
	return 0;
}
