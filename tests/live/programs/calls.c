/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One construct, reached by two calls. SAME: with the same arrays; WRAPPED: through another function;
 * VARYING: from a frame of varying size; COROUTINE: on a stack of the program's own.
 */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define SIDE 1024
#define N (SIDE * SIDE)
#define STEPS 150

static void __attribute__((noinline)) relax(double *restrict to, const double *restrict from)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++)
		to[i] = 0.5 * to[i] + 0.25 * from[i % SIDE * SIDE + i / SIDE];
	__asm__ volatile("" ::: "memory"); /* no tail call, here and below */
}

static void __attribute__((noinline)) pass(double *to, const double *from, int step)
{
#ifdef VARYING
	char *room = alloca(16 + 64 * (step % 5));

	memset(room, step, 16);
	__asm__ volatile("" ::"r"(room) : "memory");
#endif
	(void)step;
	relax(to, from);
	__asm__ volatile("" ::: "memory");
}

static double *u, *v, *w, *x;

static void steps(void)
{
	for (int step = 0; step < STEPS; step++) {
#if defined(SAME)
		relax(u, v); /* HERE: first */
		relax(u, v); /* HERE: second */
#elif defined(WRAPPED) || defined(VARYING)
		pass(u, v, step); /* HERE: wrapped first */
		pass(w, x, step); /* HERE: wrapped second */
#else
		relax(u, v); /* HERE: own first */
		relax(w, x); /* HERE: own second */
#endif
	}
}

#ifdef COROUTINE
static ucontext_t outside, inside;

static void on_own_stack(void)
{
	size_t bytes = 1 << 20;

	getcontext(&inside);
	inside.uc_stack.ss_sp = malloc(bytes);
	inside.uc_stack.ss_size = bytes;
	inside.uc_link = &outside;
	makecontext(&inside, steps, 0);
	swapcontext(&outside, &inside);
	free(inside.uc_stack.ss_sp);
}
#else
#define on_own_stack steps
#endif

int main(void)
{
	double **all[] = { &u, &v, &w, &x };

	for (int k = 0; k < 4; k++) {
		*all[k] = malloc(N * sizeof(double));
		for (int i = 0; i < N; i++)
			(*all[k])[i] = (i + k) % 7;
	}
	on_own_stack();
	printf("%.10g %.10g\n", u[N / 2], w[N / 2]);
	return 0;
}
