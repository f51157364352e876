/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: coroutines with 16 KiB of stack each meet parallel regions in turn, on one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define N 200000
#define STEPS 300
#define COROUTINES 3

static double a[N], b[N];
static ucontext_t of_main, coroutines[COROUTINES];
static _Alignas(16) char stacks[COROUTINES][16 << 10];

static void run(int which)
{
	for (;;) {
		double *factors = calloc(1000, sizeof(*factors));

		factors[which] = 0.25;
#pragma omp parallel for
		for (int i = 1; i < N - 1; i++)
			a[i] = b[i - 1] + b[i + 1] + factors[i % 1000];
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			b[i] = a[i] * 0.5 + which;
		free(factors);
		swapcontext(&coroutines[which], &of_main);
	}
}

int main(void)
{
	double sum = 0;

	for (int c = 0; c < COROUTINES; c++) {
		getcontext(&coroutines[c]);
		coroutines[c].uc_stack.ss_sp = stacks[c];
		coroutines[c].uc_stack.ss_size = sizeof(stacks[c]);
		makecontext(&coroutines[c], (void (*)(void))run, 1, c);
	}
	for (int s = 0; s < STEPS; s++)
		for (int c = 0; c < COROUTINES; c++)
			swapcontext(&of_main, &coroutines[c]);
	for (int i = 0; i < N; i++)
		sum += a[i];
	printf("%.10e\n", sum);
	return 0;
}
