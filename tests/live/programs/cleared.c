/* SPDX-License-Identifier: Apache-2.0 */
/* Three arrays that memset touches first, called at three lines of the same serial code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR (1 << 18)
#define STEPS 60

static double *first, *second, third[NR];

__attribute__((noinline)) static void clear_first(void)
{
	memset(first, 0, NR * sizeof(*first)); /* HERE: first */
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) static void clear_second(void)
{
	memset(second, 0, NR * sizeof(*second)); /* HERE: second */
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) static void clear_third(void)
{
	memset(third, 0, sizeof(third)); /* HERE: third */
	__asm__ volatile("" : : : "memory");
}

static int team(void)
{
	int nr = 0;

#pragma omp parallel reduction(+ : nr)
	nr++;
	return nr;
}

int main(void)
{
	int nr = team();

	first = malloc(NR * sizeof(*first));
	second = malloc(NR * sizeof(*second));
	clear_first();
	clear_second();
	clear_third();
	for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for schedule(static)
		for (int i = 0; i < NR; i++)
			third[i] += first[i] + second[i] + step;
	}
	printf("%g %d\n", third[NR / 2], nr);
	return 0;
}
