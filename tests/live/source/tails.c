/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constructs that are the last thing a function does, whose call becomes a jump and gives the
 * address of a caller; and ordered constructs. Markers as in constructs.c.
 */
#include <omp.h>
#include <stdio.h>

#define N 200
#define NOINLINE __attribute__((noinline))

double a[N], b[N];
int hits;
static omp_lock_t lock;

void library_tail(void);
void library_chain(void);

NOINLINE void flow(void)
{
#pragma omp parallel for schedule(static) /* @PARALLEL:flow @DO?:flow */
	for (int i = 0; i < N; i++)
		a[i] += 1;
}

NOINLINE static void dynamic(void)
{
#pragma omp parallel for schedule(dynamic, 16) /* @PARALLEL:dynamic @DO:dynamic */
	for (int i = 0; i < N; i++)
		a[i] *= 1.5;
}

/* A chain of jumps, one over a static function that the assembler reaches with a short jump. */
NOINLINE static void last(void)
{
#pragma omp parallel /* @PARALLEL:last */
	hits |= 1;
}

NOINLINE static void third(void)
{
	b[1] += 1;
	last();
}

NOINLINE void second(void)
{
	b[2] += 1;
	third();
}

NOINLINE void first(void)
{
	b[3] += 1;
	second();
}

/* Two regions, either of which may be the last: their barriers tell them apart. */
NOINLINE void either(int n)
{
	if (n > 3) {
#pragma omp parallel /* @PARALLEL:either */
		{
			b[omp_get_thread_num()] += 1;
#pragma omp barrier /* @BARRIER:either */
			hits |= 2;
		}
	} else {
		hits += 1;
#pragma omp parallel /* @PARALLEL:either */
		{
			a[omp_get_thread_num()] += 2;
#pragma omp barrier /* @BARRIER:either */
			hits |= 128;
		}
	}
}

NOINLINE void indistinct(int n)
{
	if (n > 3) {
#pragma omp parallel /* @PARALLEL~:indistinct */
		b[omp_get_thread_num()] += 1;
	} else {
		hits += 1;
#pragma omp parallel /* @PARALLEL~:indistinct */
		a[omp_get_thread_num()] += 2;
	}
}

NOINLINE static void closing(void)
{
	a[omp_get_thread_num()] += 1;
#pragma omp barrier /* @BARRIER:closing */
}

NOINLINE static void waiting(void)
{
#pragma omp task /* @TASK:waiting */
	hits |= 4;
#pragma omp taskwait /* @TASKWAIT:waiting */
}

NOINLINE static void locking(void)
{
	b[omp_get_thread_num()] += 3;
	omp_set_lock(&lock); /* @LOCK:locking */
}

NOINLINE static void creating(void)
{
	b[omp_get_thread_num()] += 2;
#pragma omp task /* @TASK:creating */
	hits |= 8;
}

NOINLINE static void team(void)
{
#pragma omp parallel /* @PARALLEL:team */
	{
		closing();
		waiting();
		locking();
		hits++;
		omp_unset_lock(&lock);
		creating();
		hits |= 16;
	}
	hits++;
}

/* Nothing behind it in the body: the address is the runtime's own. */
NOINLINE static void inner(void)
{
#pragma omp parallel num_threads(2) /* @PARALLEL:inner */
	{
		a[omp_get_thread_num()]++;
#pragma omp parallel num_threads(2) /* @PARALLEL:inner */
		b[omp_get_thread_num()]++;
	}
}

NOINLINE static void orderly(int n)
{
#pragma omp parallel /* @PARALLEL:orderly */
	{
#pragma omp for ordered schedule(static, 1) /* @DO:orderly */
		for (int i = 0; i < n; i++) {
			b[i] = a[i] * 2;
#pragma omp ordered /* @ORDERED:orderly */
			hits += b[i] > 1;
		}
#pragma omp for ordered schedule(dynamic) /* @DO:orderly */
		for (int i = 0; i < n; i++) {
			a[i] += i;

#pragma omp ordered /* @ORDERED:orderly */
			{
				hits += a[i] > 5;
				a[i] += 1;
			}
			b[i] = a[i];
		}
	}
	hits++;
}

/* A call through a pointer: whoever is called has to be told by its barrier. */
NOINLINE static void pointed(void)
{
#pragma omp parallel /* @PARALLEL:pointed */
	{
		a[omp_get_thread_num()] += 1;
#pragma omp barrier /* @BARRIER:pointed */
		hits |= 32;
	}
}

NOINLINE static void pointed_vaguely(void)
{
#pragma omp parallel /* @PARALLEL?:pointed_vaguely */
	hits |= 64;
}

void (*volatile pointer)(void) = pointed;

int main(int argc, char **argv)
{
	(void)argv;
	omp_set_max_active_levels(2);
	omp_init_lock(&lock);
	for (int round = 0; round < 2; round++) {
		flow();
		hits++;
		flow();
		dynamic();
		first();
		last();
		either(argc + 5);
		either(argc);
		indistinct(argc + 5);
		indistinct(argc);
		team();
		inner();
		orderly(argc + 50);
		library_tail();
		library_chain();
		pointer = pointed;
		pointer();
		hits++;
	}
	if (argc > 1) {
		pointer = pointed_vaguely;
		pointer();
	}
	fprintf(stderr, "%d %g\n", hits, b[5]);
	return 0;
}
