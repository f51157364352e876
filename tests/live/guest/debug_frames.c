/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: asks who called, and takes backtraces, directly and through qsort, in code whose frames only debuggers know. */
/* Flags: -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions */
/* Does: left the clone */
#include "guest.h"

#include <execinfo.h>

extern char __executable_start[], etext[];

__attribute__((noinline)) static long who(void)
{
	return (char *)__builtin_return_address(0) - __executable_start;
}
/* How far a walk comes, and which frames of the program it finds. */
__attribute__((noinline)) static long frames(void)
{
	void *found[64];
	int nr = backtrace(found, 64), own = 0;
	long sum = 0;

	for (int i = 0; i < nr; i++)
		if ((char *)found[i] >= __executable_start && (char *)found[i] < etext) {
			sum = sum * 31 + ((char *)found[i] - __executable_start);
			own++;
		}
	return sum * 64 + own;
}
static _Thread_local long of_compare;
static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	if (x == 1 || y == 1)
		of_compare = of_compare * 7 + frames() + who();
	return (x > y) - (x < y);
}
__attribute__((noinline)) static long ask(const long *p, int i)
{
	int few[4] = { 3, 1, 4, 2 };
	long result = p[i & 7] + who();

	of_compare = 0;
	qsort(few, 4, sizeof(few[0]), compare);
	return result * 3 + frames() + of_compare;
}
__attribute__((noinline)) static long ask_again(const long *p, int i)
{
	long result = ask(p, i);

	__asm__ volatile("" : "+r"(result));     /* no tail call */
	return result + p[0] + who();
}

int main(void)
{
	long sum = 0, p[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 200)
			sum += ask_again(p, i);
		sum += ask_again(p, step);
	}
	return guest_end(sum);
}
