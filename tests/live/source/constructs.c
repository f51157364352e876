/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP constructs in C whose lines must be found again. "@" KIND ":" function in the line
 * of a directive says what begins there. "?": compilers may report nothing for it. "~": gcc leaves so
 * little that neighbours cannot be told apart; it has to be said that the line is approximate.
 */
#include <omp.h>
#include <stdio.h>

#define N 500

double a[N], b[N];
int hits;
static omp_lock_t lock;

void library_scale(double *values, int n, double factor);

static inline void fill(double *values, double with)
{
	for (int i = 0; i < N; i++)
		values[i] = with;
}

static inline void mixed(int n)
{
	fill(b, 1);
#pragma omp parallel /* @PARALLEL:mixed */
	{
		int self = omp_get_thread_num();
#pragma omp for schedule(dynamic, 8) /* @DO:mixed */
		for (int i = 0; i < n; i++)
			a[i] += self + b[i];
#pragma omp single /* @SINGLE:mixed */
		{
			hits++;
			b[3] = a[2];
		}
#pragma omp critical /* @CRITICAL:mixed */
		hits += self;
#pragma omp barrier /* @BARRIER:mixed */
		hits |= 1;
	}
}

static void unnamed_sections(void)
{
#pragma omp parallel /* @PARALLEL:unnamed_sections */
	{
		b[omp_get_thread_num()] = 1;
#pragma omp sections /* @SECTIONS|DO?:unnamed_sections */
		{
#pragma omp section
			a[1]++;
#pragma omp section
			a[2]++;
		}
	}
}

static double sum(int n)
{
	double total = 0;
	int twice = n * 2;
#pragma omp parallel for reduction(+ : total) schedule(dynamic) /* @PARALLEL:sum @DO:sum */
	for (int i = 0; i < n; i++)
		total += a[i] * twice;
	return total;
}

static void continued(int n)
{
#pragma omp parallel /* @PARALLEL:continued */ \
	num_threads(2) if (n > 5)
	{
		a[omp_get_thread_num()]++;
#pragma omp barrier /* @BARRIER:continued */
		hits |= 2;
	}
}

static void fixed(int n, double x)
{
	fill(b, x);
#pragma omp parallel for /* @PARALLEL:fixed @DO?:fixed */
	for (int i = 0; i < n; i++)
		b[i] += x;
}

static void unbraced(int n)
{
#pragma omp parallel /* @PARALLEL:unbraced */
#pragma omp for schedule(dynamic) /* @DO:unbraced */
	for (int i = 0; i < n; i++)
		b[i] += a[i];
}

static void two_loops(int n)
{
#pragma omp parallel /* @PARALLEL:two_loops */
	{
#pragma omp for schedule(dynamic, 4) /* @DO:two_loops */
		for (int i = 0; i < n; i++)
			b[i] += a[i];
#pragma omp for schedule(guided) /* @DO:two_loops */
		for (int i = 0; i < n; i++)
			a[i] += b[i];
#pragma omp single /* @SINGLE:two_loops */
		hits += 3;
		b[omp_get_thread_num()] = hits;
#pragma omp single /* @SINGLE:two_loops */
		hits += 5;
	}
}

void tasks(int n)
{
#pragma omp parallel /* @PARALLEL:tasks */
#pragma omp single /* @SINGLE:tasks */
	for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i) /* @TASK:tasks */
		{
#pragma omp critical(named) /* @CRITICAL:tasks */
			hits += i;
		}
	}
}

void nested(int n)
{
#pragma omp parallel num_threads(2) /* @PARALLEL:nested */
	{
		b[omp_get_thread_num()]++;
#pragma omp parallel num_threads(2) /* @PARALLEL:nested */
		{
			a[omp_get_thread_num()]++;
#pragma omp for schedule(guided) nowait /* @DO:nested */
			for (int i = 0; i < n; i++)
				b[i] *= 1.5;
#pragma omp barrier /* @BARRIER:nested */
			hits |= 1;
		}
		hits |= 4;
	}
}

__attribute__((noinline)) void orphan(int n)
{
#pragma omp for schedule(dynamic, 16) /* @DO:orphan */
	for (int i = 0; i < n; i++)
		b[i] += 2;
}

static void calls_orphan(int n)
{
#pragma omp parallel /* @PARALLEL:calls_orphan */
	{
		orphan(n);
		hits |= 8;
	}
}

static inline double twice(double x)
{
	return x * 2;
}

static void inlined_work(int n)
{
#pragma omp parallel /* @PARALLEL:inlined_work */
	{
#pragma omp for schedule(dynamic, 4) /* @DO:inlined_work */
		for (int i = 0; i < n; i++)
			b[i] = twice(b[i]);
#pragma omp single /* @SINGLE:inlined_work */
		fill(a, twice(b[2]));
#pragma omp for schedule(dynamic, 8) /* @DO:inlined_work */
		for (int i = 0; i < n; i++) {
			a[i] = twice(a[i] + b[i]);
			hits++;
		}
#pragma omp single nowait /* @SINGLE~:inlined_work */
		fill(b, 3);
#pragma omp single /* @SINGLE~:inlined_work */
		fill(a, 4);
	}
}

static void locked(void)
{
#pragma omp parallel /* @PARALLEL:locked */
	{
		omp_set_lock(&lock); /* @LOCK:locked */
		hits++;
		omp_unset_lock(&lock);
	}
}

int main(int argc, char **argv)
{
	int n = argc > 5 ? 10 : N;

	(void)argv;
	omp_set_max_active_levels(2);
	omp_init_lock(&lock);
	for (int round = 0; round < 3; round++) {
		mixed(n);
		unnamed_sections();
		continued(n);
		fixed(n, round);
		unbraced(n);
		two_loops(n);
		tasks(10);
		nested(n);
		calls_orphan(n);
		locked();
		inlined_work(n);
		for (int i = 0; i < 2; i++) {
#pragma omp parallel /* @PARALLEL:main */
			hits |= 16;
		}
		library_scale(a, n, 0.5);
	}
	fprintf(stderr, "%g %d\n", sum(n), hits);
	return 0;
}
