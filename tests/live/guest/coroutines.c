/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: coroutines by ucontext in regions, each thread with many, which end, or are left in their midst. */
#include <omp.h>
#include <ucontext.h>
#include "guest.h"

#define MOST 64
static struct coroutine {
	ucontext_t caller, own;
	char stack[32768];
	long value;
} *all[MOST];

static void body(int number)
{
	struct coroutine *it = all[number];

	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 50; i++)
			it->value += i * number;
		swapcontext(&it->own, &it->caller);
	}
}
static void begin(int number)
{
	struct coroutine *it = all[number];

	getcontext(&it->own);
	it->own.uc_stack.ss_sp = it->stack;
	it->own.uc_stack.ss_size = sizeof it->stack;
	it->own.uc_link = &it->caller;
	makecontext(&it->own, (void (*)(void))body, 1, number);
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < MOST; i++)
		all[i] = calloc(1, sizeof *all[i]);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < MOST; i++) {
			if (step % 6 == 0)
				begin(i);
			swapcontext(&all[i]->caller, &all[i]->own);
			sum += all[i]->value;
		}
	}
	return guest_end(sum);
}
