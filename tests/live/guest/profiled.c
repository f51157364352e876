/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: built with -pg, whose mcount looks at the callers' addresses. */
/* Flags: -pg */
/* Does: refused */
#include "guest.h"

#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) long work(int i)
{
	return i * 3 + 1;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS / 2; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 50) {
			guest_to[i] += i;
			sum += work(i);
		}
#pragma omp parallel for schedule(static)
		for (int i = 0; i < GUEST_ELEMENTS; i++)
			guest_from[i] += guest_to[i] * 0.5;
	}
	return guest_end(sum);
}
