/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of which more is recorded than there is time for: a gather from more than the caches hold, and counters in one line. STEPS of KIND, with that many VALUES. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS 64

static double *table, *sums;
static unsigned *where;
static unsigned char *digits;
static volatile long *counts;
static unsigned nr;

static void gather(void)
{
#pragma omp parallel for
	for (unsigned i = 0; i < nr; i++)
		sums[i] += table[where[i]];
}

static void count(void)
{
#pragma omp parallel for
	for (unsigned i = 0; i < nr; i++)
		if (digits[i] & 1)
			counts[omp_get_thread_num()]++;
}

int main(int argc, char **argv)
{
	int steps = argc > 3 ? atoi(argv[1]) : 0;
	unsigned random = 1;
	double sum = 0;

	nr = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	table = malloc(nr * sizeof(*table));
	sums = calloc(nr, sizeof(*sums));
	where = malloc(nr * sizeof(*where));
	digits = malloc(nr);
	counts = calloc(COUNTERS, sizeof(*counts));
	for (unsigned i = 0; i < nr; i++) {
		random = random * 1664525u + 1013904223u;
		where[i] = (random >> 4) % nr;
		digits[i] = (unsigned char)(random >> 9);
		table[i] = i;
	}
	for (int step = 0; step < steps; step++)
		(strcmp(argv[2], "gather") ? count : gather)();
	for (unsigned i = 0; i < nr; i++)
		sum += sums[i];
	for (int i = 0; i < COUNTERS; i++)
		sum += (double)counts[i];
	printf("%.6g\n", sum);
	return 0;
}
