/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: recursion of 20,000 calls in regions, directly, mutually, and through pointers. */
#include "guest.h"

static long odd(long n, volatile char *above);
static long (*volatile pointer)(long, volatile char *) = odd;
__attribute__((noinline)) static long even(long n, volatile char *above)
{
	volatile char here[24];

	here[n % 24] = above ? above[0] : 1;
	return n ? 1 + pointer(n - 1, here) - here[n % 24] + here[n % 24] : here[0] * 0;
}
__attribute__((noinline)) static long odd(long n, volatile char *above)
{
	volatile char here[8];

	here[0] = above[0];
	return n ? 1 + even(n - 1, here) : here[0] * 0;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 4; i++)
			sum += even(20000 + i, NULL);
	}
	return guest_end(sum);
}
