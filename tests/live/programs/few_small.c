/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread counts in a word of one heap block of 16 bytes, allocated after some strings that stay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, NAMES = 100, TRIES = 400000 };

static char *names[NAMES];

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100;
	volatile long *hits;
	long sum = 0;

	for (int i = 0; i < NAMES; i++)
		names[i] = strdup("a short name");  /* HERE: name */
	hits = calloc(THREADS, sizeof(*hits));      /* HERE: hits */
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static, 1) num_threads(THREADS)
		for (int thread = 0; thread < THREADS; thread++)
			for (int i = 0; i < TRIES; i++)
				hits[thread] += i & 1;      /* HERE: shared */
	}
	for (int thread = 0; thread < THREADS; thread++)
		sum += hits[thread];
	printf("%ld %s\n", sum, names[sum % NAMES]);
	return 0;
}
