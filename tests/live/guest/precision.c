/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: x87 with 24, 53 and 64 bits of mantissa, whose control word is each thread's, with values kept on its stack over calls. */
#include "guest.h"

__attribute__((noinline)) static long double with(unsigned short bits, int i)
{
	unsigned short before, now;
	long double sum = 0;

	__asm__ volatile("fnstcw %0" : "=m"(before));
	now = (before & ~0x300) | bits;
	__asm__ volatile("fldcw %0" : : "m"(now));
	for (int k = 1; k < 20; k++) {
		volatile long double divisor = k + i;

		sum += 1.0L / divisor;
	}
	__asm__ volatile("fldcw %0" : : "m"(before));
	return sum;
}

int main(void)
{
	uint64_t hash = 7;

	for (int step = 0; step < GUEST_STEPS; step++) {
		long double sums[90];

		guest_step();
		memset(sums, 0, sizeof sums);
#pragma omp parallel for schedule(static)
		for (int i = 0; i < 90; i++)
			sums[i] = with(i % 3 == 0 ? 0 : i % 3 == 1 ? 0x200 : 0x300, i) + (long double)i / 7;
		for (int i = 0; i < 90; i++)
			hash = guest_hash(&sums[i], 10, hash);
	}
	return guest_end(hash % 1000000007);
}
