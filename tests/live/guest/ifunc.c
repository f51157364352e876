/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has functions that are chosen when the program starts (ifunc), and calls them in regions, directly and by pointer. */
#include "guest.h"

static long chosen_first(long x) { return x * 3; }
static long chosen_second(long x) { return x * 5; }
static long (*choose(void))(long)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("sse2") ? chosen_second : chosen_first;
}
long chosen(long) __attribute__((ifunc("choose")));
static long (*volatile pointer)(long) = chosen;

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 500; i++)
			sum += chosen(i) + pointer(i);
	}
	return guest_end(sum);
}
