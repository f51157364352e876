/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread counts in a word of its own: of one small heap block, or (APART) of a block each. */
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2
#define COUNTS 50000
#define LINE 64

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 20;
	volatile long *counts[THREADS];
	long sum = 0;

	for (int thread = 0; thread < THREADS; thread++) {
#ifdef APART
		counts[thread] = aligned_alloc(LINE, LINE);
#else
		counts[thread] = thread ? counts[0] + thread : aligned_alloc(LINE, LINE);
#endif
		*counts[thread] = 0;
	}
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static, 1)
		for (int thread = 0; thread < THREADS; thread++)
			for (int i = 0; i < COUNTS; i++)
				++*counts[thread];
		sum += *counts[step % THREADS];
	}
	printf("%ld\n", sum);
	return 0;
}
