/* SPDX-License-Identifier: Apache-2.0 */
/* Single constructs whose end the next event shows (shown_…), or does not (unseen_…). */
#include <stdio.h>

enum { NR = 2000000, STEPS = 40 };
static double a[NR], total;

__attribute__((noinline)) static void shown_barrier(void)
{
#pragma omp parallel
	{
#pragma omp single
		total += a[0];
#pragma omp for
		for (int i = 0; i < NR; i++)
			a[i] += 1;
	}
}

__attribute__((noinline)) static void shown_last(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < NR; i++)
			a[i] += 2;
#pragma omp single nowait
		total += a[1];
	}
}

__attribute__((noinline)) static void unseen_loop(void)
{
#pragma omp parallel
	{
#pragma omp single nowait
		total += a[2];
#pragma omp for
		for (int i = 0; i < NR; i++)
			a[i] *= 1.5;
	}
}

/* Its caller goes on. */
__attribute__((noinline)) static void unseen_function(void)
{
#pragma omp single nowait
	total += a[3];
}

__attribute__((noinline)) static void call(void)
{
#pragma omp parallel
	{
		unseen_function();
#pragma omp for
		for (int i = 0; i < NR; i++)
			a[i] -= 1;
	}
}

int main(void)
{
	for (int step = 0; step < STEPS; step++) {
		shown_barrier();
		shown_last();
		unseen_loop();
		call();
	}
	printf("%g %g\n", a[NR / 2], total);
	return 0;
}
