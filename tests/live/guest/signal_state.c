/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: looks at what signals it inherited and has: blocked ones of every thread, actions of all, pending ones, its alternate stack. */
#define _GNU_SOURCE
#include <signal.h>
#include "guest.h"

static uint64_t state(void)
{
	sigset_t blocked, pending;
	stack_t stack;
	uint64_t hash = 1;

	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	sigpending(&pending);
	sigaltstack(NULL, &stack);
	for (int number = 1; number < 65; number++)
		hash = hash * 31 + sigismember(&blocked, number) * 2 + sigismember(&pending, number);
	return hash * 31 + (stack.ss_flags == SS_DISABLE);
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel reduction(+ : sum)
		sum += state();
		for (int number = 1; number < 65; number++) {
			struct sigaction action;

			if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_DFL)
				sum += number;
		}
	}
	return guest_end(sum);
}
