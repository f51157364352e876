/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: steps through one of its functions by the trap flag, and counts its instructions. */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>
#include "guest.h"

static volatile long steps;

static void trapped(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	steps++;
}

__attribute__((noinline)) static long stepped(long x)
{
	__asm__ volatile("pushf\norq $0x100, (%%rsp)\npopf" : : : "memory", "cc");
	guest_to[x % 8] += 1;
	guest_to[x % 8 + 8] -= 1;
	__asm__ volatile("pushf\nandq $~0x100, (%%rsp)\npopf" : : : "memory", "cc");
	return x;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		stepped(step);
	}
	return guest_end(steps);
}
