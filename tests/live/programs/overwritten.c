/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays that are written, each larger than the caches of small.machine:
 *
 *     copied      written whole and not read: each line is fetched for nothing
 *     in_place    read and written: what is fetched is used
 *     every_other every other element written: what is fetched stays
 *     source      read alone
 *     streamed    written whole and not read, by writes that go past the caches
 */
#include <emmintrin.h>
#include <stdio.h>
#include <stdlib.h>

#define N (1 << 17)

static double copied[N] __attribute__((aligned(4096))), in_place[N] __attribute__((aligned(4096)));
static double every_other[2 * N] __attribute__((aligned(4096))), source[N] __attribute__((aligned(4096)));
static double streamed[N] __attribute__((aligned(4096)));

static void step(double factor)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++)
		copied[i] = factor * source[i];
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++)
		in_place[i] = factor * in_place[i] + 1;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++)
		every_other[2 * i] = factor;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i += 2)
		_mm_stream_pd(&streamed[i], _mm_set1_pd(factor * i));
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100;

	for (int i = 0; i < N; i++)
		source[i] = i % 7;
	for (int i = 0; i < steps; i++)
		step(0.5 + i % 2);
	printf("%g %g %g %g\n", copied[N - 1], in_place[N / 2], every_other[2], streamed[N - 2]);
	return 0;
}
