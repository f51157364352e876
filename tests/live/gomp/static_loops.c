/* SPDX-License-Identifier: Apache-2.0 */
/* Static loops of gcc. Functions loop_… are one loop, loops_… two, whole_… are none, or cannot be told from what is none. */
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { NR = 600 };
static double a[NR][NR], b[NR][NR], total;
int width = NR - 2;

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

/* gcc -O2 tests the width outside: one loop with the inner one, and one that only counts. */
__attribute__((noinline)) static void loop_unswitched(void)
{
	const double scale = total > 0 ? 0.5 : 0.25;

#pragma omp parallel for
	for (int i = 1; i < NR - 1; i++)
		for (int j = 0; j < width; j++)
			a[i][j + 1] = b[i][j + 1] * scale + b[i + 1][j];
}

/* Entered at its begin or in the middle, as gcc 15 -O2 compiles loops around one with vectors. */
__attribute__((noinline)) static void loop_entered_twice(void)
{
#pragma omp parallel
	{
		int nr = omp_get_num_threads(), number = omp_get_thread_num();
		int i = NR / nr * number, end = i + NR / nr;

		if (i < end && width > 1)
			goto begin;
		if (i < end)
			goto middle;
		goto end;
	begin:
		for (int j = 0; j < width; j++)
			a[i][j] = b[i][j] * 0.5;
	middle:
		a[i][0] += cost(b[i][0]);
		if (++i < end)
			goto begin;
	end:;
	}
}

/* One loop for each case of the condition. */
__attribute__((noinline)) static void loop_alternatives(int how)
{
#pragma omp parallel for
	for (int i = 1; i < NR - 1; i++)
		for (int j = 1; j < NR - 1; j++) {
			if (how)
				b[i][j] = a[i][j] * 0.5 + b[i][j + 1];
			else
				b[i][j] += cost(a[i][j]);
		}
}

/* gcc -O3 tests whether the arrays overlap: one loop with vectors and one without. */
static double *volatile to = a[0], *volatile from = b[0];

__attribute__((noinline)) static void loop_aliases(void)
{
	double *x = to, *y = from;

#pragma omp parallel for
	for (int i = 0; i < NR * NR; i++)
		x[i] = y[i] * 0.5 + x[i];
}

/* The number of iterations is the quotient of a division; the thread's number is in addresses only. */
__attribute__((noinline)) static double loop_dot(void)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < NR; i++)
		sum += a[1][i] * b[1][i];
	return sum;
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

__attribute__((noinline)) static void loops_barrier(void)
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

/* The barrier of the second leads to the first again. */
__attribute__((noinline)) static void loops_steps(void)
{
#pragma omp parallel
	for (int step = 0; step < 3; step++) {
#pragma omp for
		for (int i = 0; i < NR; i++)
			a[i][12] = cost(b[i][12]) + step;
#pragma omp for schedule(static, 8)
		for (int i = 0; i < NR; i++)
			b[i][12] = cost(a[i][12]);
	}
}

/* The barrier of the second leads to the first again, or to a third; that leads to the first, or to the end. */
__attribute__((noinline)) static void loops_around(void)
{
#pragma omp parallel
	for (int round = 0; round < 2; round++) {
		for (int step = 0; step < 3; step++) {
#pragma omp for
			for (int i = 0; i < NR; i++)
				a[i][14] = cost(b[i][14]) + step;
#pragma omp for schedule(static, 8)
			for (int i = 0; i < NR; i++)
				b[i][14] = cost(a[i][14]);
		}
#pragma omp for
		for (int i = 0; i < NR; i++)
			b[i][14] -= cost(b[i][14]);
	}
}

/* Two loops, and between them what one thread does. */
__attribute__((noinline)) static void loops_single(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < NR; i++)
			a[i][13] = cost(b[i][13]);
#pragma omp single
		total += cost(a[0][13]);
#pragma omp for
		for (int i = 0; i < NR; i++)
			b[i][13] = cost(a[i][13]);
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

/* Each thread passes over all of it, and looks at its own. */
__attribute__((noinline)) static void whole_filter(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), nr = omp_get_num_threads();

		for (int i = 0; i < NR; i++)
			if (i % nr == me)
				a[i][8] = cost(b[i][8]);
	}
}

/* As many iterations as threads are before it. */
__attribute__((noinline)) static void whole_before(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), nr = omp_get_num_threads();

		for (int i = 0; i <= me; i++)
			if (cost(b[i][9]) < nr - nr)
				b[i][9] = 0;
	}
}

/* Divided, and then whole. */
__attribute__((noinline)) static void whole_behind(void)
{
#pragma omp parallel
	{
#pragma omp for nowait
		for (int i = 0; i < NR; i++)
			a[i][10] = cost(b[i][10]);
		for (int i = 0; i < NR; i++)
			if (cost(b[i][11]) < 0)
				b[i][11] = 0;
	}
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
		loop_unswitched();
		loop_entered_twice();
		loop_alternatives(step % 50 == 3);
		loop_aliases();
		sum += loop_dot();
		whole_two();
		loops_barrier();
		loops_steps();
		loops_around();
		loops_single();
		whole_with_work();
		whole_critical();
		whole_dynamic();
		whole_everyone();
		whole_filter();
		whole_before();
		whole_behind();
	}
	printf("%.6e\n", sum + a[7][7] + b[8][8] + (total > 0));
	return 0;
}
