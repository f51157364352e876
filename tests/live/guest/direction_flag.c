/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: string instructions backwards, by the direction flag, in regions. */
#include "guest.h"

__attribute__((noinline)) static long backwards(const char *from, char *to)
{
	const char *source = from + 99;
	char *target = to + 99;
	long left = 100;

	__asm__ volatile("std\nrep movsb\ncld" : "+S"(source), "+D"(target), "+c"(left) : : "memory", "cc");
	return to[7] + to[93] + left;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 200; i++) {
			char from[100], to[100];

			memset(from, i, 100);
			from[7] = step;
			sum += backwards(from, to);
		}
	}
	return guest_end(sum);
}
