/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads at random what the first-level cache holds, again and again for so many seconds: an access takes a nanosecond, and to simulate it more than a hundred.
 * Usage: scattered SECONDS
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { VALUES = 1 << 11, READS = 1 << 17 };

static double values[VALUES];

int main(int argc, char **argv)
{
	double until = omp_get_wtime() + (argc > 1 ? atof(argv[1]) : 1), sum = 0;

	for (int i = 0; i < VALUES; i++)
		values[i] = i + argc;
	do {
#pragma omp parallel for reduction(+ : sum) schedule(static)
		for (unsigned int part = 0; part < 4; part++) {
			unsigned int at = part;

			for (int i = 0; i < READS; i++) {
				at = at * 1664525u + 1013904223u;
				sum += values[at >> 21];
			}
		}
	} while (omp_get_wtime() < until);
	printf("%g\n", sum);
	return 0;
}
