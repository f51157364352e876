/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: leaves functions by longjmp in regions, over many frames, with and without the signal mask. */
#include <setjmp.h>
#include "guest.h"

static _Thread_local jmp_buf there;
static _Thread_local sigjmp_buf there_with_mask;

__attribute__((noinline)) static long deep(int n, int which)
{
	volatile long kept = n;

	if (n == 0 && which % 2 == 0)
		longjmp(there, which + 1);
	if (n == 0 && which % 2 == 1)
		siglongjmp(there_with_mask, which + 1);
	return deep(n - 1, which) + kept;
}
__attribute__((noinline)) static long plain(int which)
{
	int value = setjmp(there);

	return value ? value : deep(10, which);
}
__attribute__((noinline)) static long masked(int which)
{
	int value = sigsetjmp(there_with_mask, 1);

	return value ? value * 2 : deep(20, which);
}
int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 300; i++)
			sum += i % 2 ? masked(i) : plain(i);
	}
	return guest_end(sum);
}
