/* SPDX-License-Identifier: Apache-2.0 */
/* Marks two executions of phase 7, the first before the runtime has started. C and C++. */
#ifdef _OPENMP
#include <omp.h>                 /* declares omp_control_tool too */
#endif
#include "memsearch/phase.h"
#include <stdio.h>

int main(void)
{
	int sum = 0;

	for (int step = 0; step < 2; step++) {
		memsearch_phase_begin(7);
#pragma omp parallel for reduction(+ : sum) num_threads(2)
		for (int i = 0; i < 1000; i++)
			sum += i;
		memsearch_phase_end(7);
	}
	memsearch_measure_start();
	memsearch_measure_pause();
	memsearch_measure_end();
	printf("sum %d\n", sum);
	return 0;
}
