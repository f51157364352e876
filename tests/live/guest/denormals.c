/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: denormal numbers are zero in some threads (FTZ, DAZ) and not in others: results depend on MXCSR, which is each thread's. */
#include <omp.h>
#include <xmmintrin.h>
#include "guest.h"

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		for (int flush = 0; flush < 2; flush++) {
#pragma omp parallel reduction(+ : sum)
			{
				unsigned int before = _mm_getcsr();

				_mm_setcsr((before & ~0x8040u) | (flush ? 0x8040 : 0));
#pragma omp for schedule(static)
				for (int i = 1; i < 200; i++) {
					volatile double small = 2.3e-308;

					sum += small / i * 0.5 != 0;
				}
				sum += (_mm_getcsr() & 0x8040) == (flush ? 0x8040 : 0);
				_mm_setcsr(before);
			}
		}
	}
	return guest_end(sum);
}
