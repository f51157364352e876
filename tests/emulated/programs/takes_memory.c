/* SPDX-License-Identifier: Apache-2.0 */
/* Steps over 16 MiB, then that many further MiB in blocks of one, all of them touched: takes_memory STEPS MIB */
#include <stdio.h>
#include <stdlib.h>

#define NR (1 << 20)
#define MIB ((size_t)1 << 20)

static double from[NR], to[NR];

static void step(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++)
		to[i] = from[i] * 0.5 + i % 7;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++)
		from[i] = to[i] * 0.25;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 1, wanted = argc > 2 ? atoi(argv[2]) : 0, nr = 0;
	double sum = 0;

	for (int i = 0; i < steps; i++)
		step();
	for (char *block; nr < wanted && (block = malloc(MIB)); nr++)
		for (size_t at = 0; at < MIB; at += 4096)
			block[at] = 1;
	for (int i = 0; i < NR; i++)
		sum += from[i];
	printf("%d %.6e\n", nr, sum);
	return nr == wanted ? 0 : 3;
}
