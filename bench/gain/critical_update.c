/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem  a critical section in the hot loop: threads wait for each other
 * remedy   each thread's own maximum (reduction)
 * arrays   -
 * kinds    CriticalContention
 */
#include <stdio.h>

int main(void)
{
	long nr = 100000;
	double most = 0;

	for (int step = 0; step < 1500; step++) {
#ifdef MENDED
#pragma omp parallel for reduction(max : most)
		for (long i = 0; i < nr; i++) {
			double value = (double)(i * 7919 % 10007) / (1 + step);

			if (value > most)
				most = value;
		}
#else
#pragma omp parallel for
		for (long i = 0; i < nr; i++) {                /* hot */
			double value = (double)(i * 7919 % 10007) / (1 + step);

#pragma omp critical
			if (value > most)
				most = value;
		}                                              /* hot */
#endif
	}
	printf("%.6g\n", most);
	return 0;
}
