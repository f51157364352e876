/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: compiled with stacks that grow by pieces, of which every function asks. */
/* Does: refused */
/* Flags: -fsplit-stack -fuse-ld=gold */
/* Compilers: gcc */
#include "guest.h"

__attribute__((noinline)) static long deep(int n)
{
	volatile char here[300];

	here[n % 300] = n;
	return n ? deep(n - 1) + here[n % 300] : 0;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		sum += deep(100);
	}
	return guest_end(sum);
}
