/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: asks who called and walks frame pointers in code without unwind tables. */
/* Flags: -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -fwrapv */
/* Does: refused */
#include "guest.h"

extern char __executable_start[];
struct frame { struct frame *outer; char *return_address; };

__attribute__((noinline)) static long who(void)
{
	return (char *)__builtin_return_address(0) - __executable_start;
}
__attribute__((noinline)) static long walk(void)
{
	const struct frame *frame = __builtin_frame_address(0);

	return (frame->return_address - __executable_start) + 3 * (frame->outer->return_address - __executable_start);
}
__attribute__((noinline)) static long ask(const long *p, int i)
{
	return (p[i & 7] + who() * 3 + walk()) * 31 + p[(i + 1) & 7];
}
__attribute__((noinline)) static long ask_again(const long *p, int i)
{
	long result = ask(p, i);

	__asm__ volatile("" : "+r"(result));     /* no tail call */
	return result + p[0];
}

int main(void)
{
	long sum = 0, p[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 10)
			sum += ask_again(p, i);
		sum += ask_again(p, step);
	}
	return guest_end(sum);
}
