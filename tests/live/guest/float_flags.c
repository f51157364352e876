/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: reads the flags of floating point: only what it computed itself may have raised them, in every thread, in SSE and x87. */
/* Flags: -lm */
#include <fenv.h>
#include "guest.h"

static volatile double zero, one = 1, three = 3, most = 1e308, least = 1e-308;

int main(void)
{
	long sum = 0, taken = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		for (int which = 0; which < 5; which++) {
#pragma omp parallel reduction(+ : sum)
			{
				volatile double result;

				feclearexcept(FE_ALL_EXCEPT);
#pragma omp for schedule(static)
				for (int i = 0; i < 64; i++)
					guest_to[i] = i * 2.0;
				/* often enough for bursts of acquisitions to be measured */
				for (int i = 0; i < 1000; i++)
#pragma omp critical
					taken++;
				sum += fetestexcept(FE_ALL_EXCEPT);
#pragma omp barrier
				result = which == 0 ? one / zero : which == 1 ? one / three : which == 2 ? most * most : which == 3 ? least * least : zero / zero;
#pragma omp barrier
				sum += fetestexcept(FE_ALL_EXCEPT) * 100;
				(void)result;
			}
		}
	}
	return guest_end(sum + taken % 2);
}
