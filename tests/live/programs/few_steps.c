/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of two milliseconds, two regions in each: argv[1] of them. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void work(double seconds)
{
	double begin = omp_get_wtime();

	while (omp_get_wtime() - begin < seconds)
		;
}

int main(int argc, char **argv)
{
	long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 1;

	for (long step = 0; step < steps; step++) {
		#pragma omp parallel
		work(1e-3);
		#pragma omp parallel
		work(1e-3);
	}
	printf("%ld steps\n", steps);
	return 0;
}
