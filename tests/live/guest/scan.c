/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: prefix sums by OpenMP's scan. */
/* Does: went away */
/* Compilers: gcc */
#include "guest.h"

int main(void)
{
	static long sums[200];
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		long scan = 0;

		guest_step();
#pragma omp parallel for simd reduction(inscan, + : scan)
		for (int i = 0; i < 200; i++) {
			scan += i * step % 7;
#pragma omp scan inclusive(scan)
			sums[i] = scan;
		}
		sum += sums[150];
	}
	return guest_end(sum);
}
