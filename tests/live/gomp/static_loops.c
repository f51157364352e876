/* SPDX-License-Identifier: Apache-2.0 */
/* Static loops of gcc. Functions loop_… are one loop, whole_… are not, or cannot be told from what is not. */
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { NR = 600 };
static double a[NR][NR], b[NR][NR], total;

__attribute__((noinline)) static double cost(double x)
{
	return sqrt(x) + 1;
}

__attribute__((noinline)) static void loop_nest(void)
{
#pragma omp parallel for
	for (int i = 1; i < NR - 1; i++)
		for (int j = 1; j < NR - 1; j++)
			a[i][j] = 0.25 * (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
}

__attribute__((noinline)) static void loop_calls(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++)
		for (int j = 0; j < NR; j++)
			b[i][j] = cost(a[i][j]);
}

__attribute__((noinline)) static void loop_chunked(void)
{
#pragma omp parallel for schedule(static, 4)
	for (int i = 0; i < NR; i++)
		for (int j = 0; j < NR; j++)
			b[i][j] += cost(a[i][j]);
}

__attribute__((noinline)) static double loop_reduction(void)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < NR; i++)
		for (int j = 0; j < NR; j++)
			sum += cost(a[i][j]);
	return sum;
}

__attribute__((noinline)) static void loop_inside(void)
{
#pragma omp parallel
#pragma omp for
	for (int i = 0; i < NR; i++)
		for (int j = 0; j < NR; j++)
			a[i][j] = cost(b[i][j]);
}

__attribute__((noinline)) static void whole_two(void)
{
#pragma omp parallel
	{
#pragma omp for nowait
		for (int i = 0; i < NR; i++)
			a[i][0] = cost(b[i][0]);
#pragma omp for nowait
		for (int i = 0; i < NR; i++)
			a[i][1] = cost(b[i][1]);
	}
}

__attribute__((noinline)) static void whole_barrier(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < NR; i++)
			a[i][2] = cost(b[i][2]);
#pragma omp for
		for (int i = 0; i < NR; i++)
			a[i][3] = cost(a[i][2]);
	}
}

__attribute__((noinline)) static void whole_with_work(void)
{
#pragma omp parallel
	{
		double mine = cost(b[0][0]);

#pragma omp for nowait
		for (int i = 0; i < NR; i++)
			a[i][4] = cost(b[i][4]) + mine;
	}
}

__attribute__((noinline)) static void whole_critical(void)
{
#pragma omp parallel for
	for (int i = 0; i < NR; i++) {
#pragma omp critical
		total += cost(b[i][5]);
	}
}

__attribute__((noinline)) static void whole_dynamic(void)
{
#pragma omp parallel for schedule(dynamic, 50)
	for (int i = 0; i < NR; i++)
		a[i][6] = cost(b[i][6]);
}

__attribute__((noinline)) static void whole_everyone(void)
{
#pragma omp parallel
	for (int i = 0; i < NR; i++)
		if (cost(b[i][7]) < 0)
			b[i][7] = 0;
}

int main(void)
{
	double sum = 0;

	for (int step = 0; step < 150; step++) {
		loop_nest();
		loop_calls();
		loop_chunked();
		sum += loop_reduction();
		loop_inside();
		whole_two();
		whole_barrier();
		whole_with_work();
		whole_critical();
		whole_dynamic();
		whole_everyone();
	}
	printf("%.6e\n", sum + a[7][7] + b[8][8] + (total > 0));
	return 0;
}
