/* SPDX-License-Identifier: Apache-2.0 */
/* Two arrays that all threads use by equal parts in one loop: one initialised by the initial thread, the other by all. */
#include <stdio.h>
#include <stdlib.h>

#ifndef NR
#define NR (1 << 21)
#endif

static double by_one[NR], by_all[NR];

static void initialise(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++)
		by_all[i] = i % 7;
	for (int i = 0; i < NR; i++)
		by_one[i] = i % 7;             /* HERE: touched */
}

static void step(void)
{
#pragma omp parallel for schedule(static)   /* HERE: used */
	for (int i = 0; i < NR; i++) {
		by_one[i] = 0.5 * (by_one[i] + by_all[i]);
		by_all[i] = 0.5 * (by_one[i] + by_all[i]);
	}
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 600;
	double sum = 0;

	initialise();
	for (int i = 0; i < steps; i++)
		step();
	for (int i = 0; i < NR; i++)
		sum += by_one[i] + by_all[i];
	printf("%g\n", sum);
	return 0;
}
