/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has the processor check alignment (the AC flag) in a loop whose accesses are all aligned. */
#include "guest.h"

static long values[64] __attribute__((aligned(64)));

__attribute__((noinline)) static long checked(long seed)
{
	long sum = 0;

	__asm__ volatile("pushf\norq $0x40000, (%%rsp)\npopf\nmov $20, %%ecx\n"
			 "1: mov (%1,%%rcx,8), %%rax\nadd %2, %%rax\nadd %%rax, %0\ndec %%ecx\njnz 1b\n"
			 "pushf\nandq $~0x40000, (%%rsp)\npopf\n" : "+r"(sum) : "r"(values), "r"(seed) : "rax", "rcx", "memory", "cc");
	return sum;
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 64; i++)
		values[i] = i * i;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 300; i++)
			sum += checked(i);
	}
	return guest_end(sum);
}
