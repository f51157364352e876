/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of some 50 ns: creating a task takes longer than executing it.
 * Remedy: more work per task, for example taskloop with grainsize(100).
 */
#include <stdio.h>

#define TASKS 8000

static unsigned long cells[TASKS];

static unsigned long churn(unsigned long x)
{
	for (int i = 0; i < 20; i++)
		x = (x ^ x >> 29) * 6364136223846793005ul;
	return x;
}

int main(void)
{
	unsigned long sum = 0;

	for (int step = 0; step < 250; step++) {
#pragma omp parallel
#pragma omp single
		for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)                             /* hot */
			cells[i] = churn(cells[i] + i);
		}
	}
	for (int i = 0; i < TASKS; i++)
		sum += cells[i];
	printf("%lx\n", sum);
	return 0;
}
