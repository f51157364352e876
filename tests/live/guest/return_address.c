/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: functions in parallel loops ask which module and function called them, directly, by tail calls and through pointers. */
/* Flags: -rdynamic -ldl */
/* Does: left the clone */
/* Says: uses return addresses of its callers */
#define _GNU_SOURCE
#include "guest.h"

#include <dlfcn.h>

/* How far the caller's address is from its function's begin matters, too: a call site is known by it. */
static long place_of(void *address)
{
	Dl_info info;

	if (!dladdr(address, &info) || !info.dli_fname)
		return -1000000;
	return (char *)address - (char *)info.dli_fbase;
}

__attribute__((noinline)) static long who(void) { return place_of(__builtin_return_address(0)); }
__attribute__((noinline)) static long who_by_tail_call(int odd) { return odd ? who() : 0; }
static long (*volatile pointer)(void) = who;

/* Calls it, and ends with a jump to it. */
static volatile long kept;
__attribute__((noinline)) static long who_twice(int odd)
{
	long here = odd ? who() : 0;

	__asm__ volatile("" : "+r"(here));
	kept = here;
	return who();
}

/* Of this one nothing tells where it ends. */
#ifdef __x86_64__
void *bare_caller(void);
__asm__(".globl bare_caller\nbare_caller: mov (%rsp), %rax\n\tret\n");
#else
__attribute__((noinline)) static void *bare_caller(void) { return __builtin_return_address(0); }
#endif

/* Values that the compiler may keep in registers across the call, as it sees that the function changes few. */
__attribute__((noinline)) long ask(double x, double *sum)
{
	double a = x * 1.5, b = x * 2.5, c = x * 3.5, d = x - 1;
	long where = who() + who_by_tail_call((int)x & 1) + pointer() + who_twice((int)x & 1) + place_of(bare_caller());

	*sum += a * b - c / (d * d + 1);
	return where;
}

int main(void)
{
	long asked = 0;
	double sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : asked, sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 100) {
			double part = 0;

			asked += ask(guest_from[i] + i, &part);
			sum += part > 0;
		}
		asked += ask(step, &sum);
	}
	return guest_end(asked + (sum > 0));
}
