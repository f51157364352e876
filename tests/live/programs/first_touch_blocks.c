/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 128 MiB (or as BLOCK says) in 64 blocks, of which each thread updates its own in every step, one element a cache line, in an order that prefetchers do not follow. The initial
 * thread initialises all of it; with TWIN each thread initialises the blocks that it updates.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 64
#ifndef BLOCK
#define BLOCK (1 << 18)                  /* elements */
#endif
#define FAR 264                          /* elements: more than half a page */
#define LINE 8

static double *temp;

static void initialise_block(int block)
{
	for (int i = 0; i < BLOCK; i++)
		temp[(size_t)block * BLOCK + i] = i % 7;       /* HERE: touched */
}

static void initialise(void)
{
#ifdef TWIN
#pragma omp parallel for schedule(static)
#endif
	for (int block = 0; block < BLOCKS; block++)
		initialise_block(block);
}

static void step(void)
{
#pragma omp parallel for schedule(static)   /* HERE: used */
	for (int block = 0; block < BLOCKS; block++) {
		double *at = temp + (size_t)block * BLOCK;

		for (int begin = 0; begin < FAR; begin += LINE)
			for (int i = begin; i < BLOCK; i += FAR)
				at[i] = 0.5 * at[i] + 1;
	}
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 30;
	double sum = omp_get_max_threads() - omp_get_max_threads();     /* the runtime has begun */

	temp = malloc(sizeof(double) * BLOCKS * BLOCK);
	if (!temp)
		return 1;
	initialise();
	for (int i = 0; i < steps; i++)
		step();
	for (size_t i = 0; i < (size_t)BLOCKS * BLOCK; i += BLOCK)
		sum += temp[i];
	printf("%g\n", sum);
	free(temp);
	return 0;
}
