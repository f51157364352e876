/* SPDX-License-Identifier: Apache-2.0 */
/* No phase: works for 0.3 s, then for twice as long while measuring is paused. */
#include <omp.h>
#include <stdio.h>

#include "memsearch/phase.h"

static void work_for(double seconds)
{
	double end = omp_get_wtime() + seconds;

#pragma omp parallel
	while (omp_get_wtime() < end)
		;
}

int main(void)
{
	work_for(0.3);
	memsearch_measure_pause();
	work_for(0.6);
	puts("done");
	return 0;
}
