/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread counts in its element of an array that is local in main: they share a cache line. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	volatile long counts[4] = { 0 };

	for (int step = 0; step < 300; step++) {
#pragma omp parallel num_threads(2)
		for (int i = 0; i < 40000; i++)
			counts[omp_get_thread_num()] += i & 3;   /* HERE: counts */
	}
	printf("%ld %ld\n", counts[0], counts[1]);
	return 0;
}
