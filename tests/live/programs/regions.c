/* SPDX-License-Identifier: Apache-2.0 */
/* Every construct whose body, or what belongs to it, is handed to the OpenMP runtime; prints what was computed. */
#include <omp.h>
#include <stdio.h>

#define N 4096
#define ROUNDS 20

static double a[N], b[N];

/* Not inlined: a call through the table in each of them. */
#define PART __attribute__((noinline)) static

PART void fill(int round)
{
#pragma omp parallel
	for (int i = omp_get_thread_num(); i < N; i += omp_get_num_threads())
		a[i] = i % 97 + round;
}

PART void add_static(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++)
		b[i] = a[i] * 0.5 + 1;
}

PART void add_dynamic(void)
{
#pragma omp parallel for schedule(dynamic, 64)
	for (int i = 0; i < N; i++)
		b[i] += a[i] * 0.25;
}

PART void add_guided(void)
{
#pragma omp parallel for schedule(guided)
	for (int i = 0; i < N; i++)
		b[i] += a[i] * 0.125;
}

PART void add_runtime(void)
{
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < N; i++)
		b[i] += a[i] * 0.0625;
}

PART void add_monotonic(void)
{
#pragma omp parallel for schedule(monotonic : dynamic, 16)
	for (int i = 0; i < N; i++)
		b[i] -= a[i] * 0.25;
}

PART void in_sections(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		for (int i = 0; i < N / 2; i++)
			b[i] *= 1.25;
#pragma omp section
		for (int i = N / 2; i < N; i++)
			b[i] *= 0.75;
	}
}

PART double total(int if_large)
{
	double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static) if (if_large)
	for (int i = 0; i < N; i++)
		sum += (double)(long)(b[i] * 16);
	return sum;
}

struct part { double from[4]; };

PART void in_tasks(void)
{
	struct part part = { { 0.5, 1.5, 2.5, 3.5 } };
#pragma omp parallel firstprivate(part)
#pragma omp single
	for (int t = 0; t < 8; t++)
#pragma omp task firstprivate(t, part)
		for (int i = t * (N / 8); i < (t + 1) * (N / 8); i++)
			b[i] += part.from[t % 4];
}

PART int in_taskloop(void)
{
	int last = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(256) lastprivate(last)
	for (int i = 0; i < N; i++) {
		b[i] += 1;
		last = i;
	}
	return last;
}

PART unsigned long long in_long_taskloop(void)
{
	unsigned long long last = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(16) lastprivate(last)
	for (unsigned long long i = 0; i < N; i++) {
		b[i] += 1;
		last = i;
	}
	return last;
}

PART double handed_out(void)
{
	double value = 0, sum = 0;
#pragma omp parallel firstprivate(value) reduction(+ : sum)
	{
#pragma omp single copyprivate(value)
		value = b[7];
		sum += value / omp_get_num_threads();
	}
	return sum;
}

PART void in_teams(void)
{
#pragma omp teams num_teams(1)
#pragma omp distribute parallel for
	for (int i = 0; i < N; i++)
		b[i] += 2;
}

int main(void)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
		fill(round);
		add_static();
		add_dynamic();
		add_guided();
		add_runtime();
		add_monotonic();
		in_sections();
		in_tasks();
		sum += in_taskloop() + (double)in_long_taskloop();
		in_teams();
		sum += total(round % 2) + handed_out();
	}
	for (int i = 0; i < N; i += 511)
		printf("%a\n", b[i]);
	printf("%a\n", sum);
	return 0;
}
