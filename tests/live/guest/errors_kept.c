/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: looks at errno after regions, locks and allocations, on every thread: only the program may have set it. */
#include <errno.h>
#include <omp.h>
#include "guest.h"

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		errno = 5;
		guest_step();
		sum += step ? errno : 0;         /* libomp changes it when it begins */
#pragma omp parallel reduction(+ : sum)
		{
			errno = 7;
#pragma omp for schedule(monotonic : dynamic, 10)   /* else libomp may fail an assertion of its own: LLVM issue 54422 */
			for (int i = 0; i < 500; i++)
				guest_to[i] += 1;
			sum += errno;
#pragma omp critical
			free(malloc(100000));
			sum += errno;
		}
	}
	return guest_end(sum);
}
