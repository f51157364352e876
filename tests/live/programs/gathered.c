/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads at random, in each step, what is four times as large as the second cache of tests/live/programs/sampled.machine: three reads in four miss it.
 * Usage: gathered STEPS
 */
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 1 << 14, WORDS = 8 * LINES, READS = 1 << 21 };

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 1;
	double *table = aligned_alloc(4096, WORDS * sizeof(*table)), sum = 0;

	for (int i = 0; table && i < WORDS; i++)
		table[i] = i + argc;
	for (int step = 0; table && step < steps; step++) {
#pragma omp parallel for reduction(+ : sum) schedule(static)
		for (unsigned int part = 0; part < 2; part++) {
			unsigned int at = part + 2 * (unsigned int)step;

			for (int i = 0; i < READS; i++) {
				at = at * 1664525u + 1013904223u;
				sum += table[at >> 15];
			}
		}
	}
	printf("%g\n", sum);
	free(table);
	return 0;
}
