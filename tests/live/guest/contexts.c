/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: coroutines by swapcontext in parallel regions, and contexts whose addresses are looked at. */
/* Flags: -rdynamic -ldl */
/* Does: left the clone */
#define _GNU_SOURCE
#include "guest.h"

#include <dlfcn.h>
#include <omp.h>
#include <ucontext.h>

#define MOST 64

static struct { ucontext_t outside, inside; char stack[65536]; long sum; int begun; } routines[MOST];

static void routine(int self)
{
	for (;;) {
		for (int i = 0; i < 100; i++)
			routines[self].sum += i;
		swapcontext(&routines[self].inside, &routines[self].outside);
	}
}

static long place(void)
{
	ucontext_t here;
	Dl_info info;

	getcontext(&here);
	return dladdr((void *)here.uc_mcontext.gregs[REG_RIP], &info) && info.dli_fbase ? 1 : -1000000;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel reduction(+ : sum)
		{
			int self = omp_get_thread_num();

			if (!routines[self].begun) {
				getcontext(&routines[self].inside);
				routines[self].inside.uc_stack.ss_sp = routines[self].stack;
				routines[self].inside.uc_stack.ss_size = sizeof routines[self].stack;
				makecontext(&routines[self].inside, (void (*)(void))routine, 1, self);
				routines[self].begun = 1;
			}
#pragma omp for schedule(static)
			for (int i = 0; i < GUEST_ELEMENTS; i++) {
				guest_to[i] += 1;
				if (i % 1000 == 0) {
					swapcontext(&routines[self].outside, &routines[self].inside);
					sum += place();
				}
			}
		}
	}
	for (int i = 0; i < MOST; i++)
		sum += routines[i].sum;
	return guest_end(sum);
}
