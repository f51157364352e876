/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: leaf functions that keep all they have below the stack pointer, with signals coming. */
#include <signal.h>
#include <sys/time.h>
#include "guest.h"

static volatile double sink;

static void tick(int number)
{
	(void)number;
	sink = guest_value(2);
}

__attribute__((noinline)) static long below(long seed)
{
	long sum;

	__asm__ volatile("mov %1, -8(%%rsp)\nmov %1, -128(%%rsp)\nmov %1, -64(%%rsp)\nmov $20, %%ecx\n"
			 "1: mov -128(%%rsp), %%rax\nadd %%rax, -8(%%rsp)\nmov -8(%%rsp), %%rdx\nxor %%rdx, -64(%%rsp)\nincq -128(%%rsp)\ndec %%ecx\njnz 1b\n"
			 "mov -64(%%rsp), %0\n" : "=r"(sum) : "r"(seed) : "rax", "rcx", "rdx", "memory", "cc");
	return sum;
}

int main(void)
{
	struct itimerval every = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
	long sum = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 2000; i++)
			sum += below(i);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	return guest_end(sum);
}
