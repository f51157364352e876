/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc's qsort calls a comparison of the program's between parallel regions. Says on stderr how many comparisons a sort takes, and in how many
 * steps the comparison's first bytes were others than before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 20000
#define KEYS 2048
#define STEPS 10000
#define BEGIN 5

static double values[N];
static int keys[KEYS], order[KEYS];
static long comparisons;

static int by_key(const void *a, const void *b)
{
	int left = keys[*(const int *)a], right = keys[*(const int *)b];

#ifdef COUNTED
	comparisons++;
#endif
	return (left > right) - (left < right);
}

int main(void)
{
	char before[BEGIN], now[BEGIN];
	int changed = 0;
	double sum = 0;

	memcpy(before, (const void *)by_key, BEGIN);
	for (int i = 0; i < KEYS; i++)
		keys[i] = i * 7919 % KEYS;
	for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			values[i] += step * 0.5 + i;
		for (int i = 0; i < KEYS; i++)
			order[i] = i;
		qsort(order, KEYS, sizeof(order[0]), by_key);
		sum += order[step % KEYS];
		memcpy(now, (const void *)by_key, BEGIN);
		changed += memcmp(before, now, BEGIN) != 0;
	}
	for (int i = 0; i < N; i++)
		sum += values[i];
	printf("%.10e\n", sum);
	fprintf(stderr, "%ld %d\n", comparisons / STEPS, changed);
	return 0;
}
