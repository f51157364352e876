/* SPDX-License-Identifier: Apache-2.0 */
/*
 * temporaries STEPS BLOCKS: in each step the threads allocate BLOCKS blocks of 600 to 4000 bytes, of which
 * 512 live at once, and then work without any.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LIVE 512
#define POINTS (1 << 14)

static double field[POINTS];

static double allocate(int blocks)
{
	char *live[LIVE] = { 0 };
	uint32_t state = 12345;
	double sum = 0;

	for (int i = 0; i < blocks; i++) {
		char **block = &live[i % LIVE];

		state = state * 1664525u + 1013904223u;
		free(*block);
		*block = malloc(600 + (state >> 8) % 3400);
		**block = (char)i;
		sum += **block;
	}
	for (int i = 0; i < LIVE; i++)
		free(live[i]);
	return sum;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100, blocks = argc > 2 ? atoi(argv[2]) : 1000;
	double sum = 0;

	for (int step = 0; step < steps; step++) {
#pragma omp parallel reduction(+ : sum)
		sum += allocate(blocks);
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < POINTS; i++) {
			for (int k = 0; k < 16; k++)
				field[i] = 0.5 * field[i] + i;
			sum += field[i];
		}
	}
	printf("%g\n", sum);
	return 0;
}
