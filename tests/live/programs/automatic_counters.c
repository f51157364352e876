/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread counts in its element of an array that is local in main: they share a cache line. With TOTAL they
 * count in one variable.
 */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	volatile long counts[4] = { 0 };
	long total = 0;

	for (int step = 0; step < 300; step++) {
#pragma omp parallel num_threads(2)
		for (int i = 0; i < 40000; i++) {
#ifdef TOTAL
#pragma omp atomic
			total += i & 3;   /* HERE: total */
#else
			counts[omp_get_thread_num()] += i & 3;   /* HERE: counts */
#endif
		}
	}
	printf("%ld %ld\n", counts[0] + total, counts[1]);
	return 0;
}
