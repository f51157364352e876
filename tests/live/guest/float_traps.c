/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: traps on division by zero and invalid operations (feenableexcept): only its own operations may be such. */
/* Flags: -lm */
#define _GNU_SOURCE
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include "guest.h"

static sigjmp_buf back;
static volatile double zero;

static void caught(int number)
{
	siglongjmp(back, number);
}

int main(void)
{
	long sum = 0;

	signal(SIGFPE, caught);
	feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel
		feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
		if (step % 10 == 0) {
			if (sigsetjmp(back, 1) == 0) {
				guest_to[0] = 1 / zero;
				sum += 1000;
			} else {
				sum++;
				feclearexcept(FE_ALL_EXCEPT);
				feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
			}
		}
	}
	return guest_end(sum);
}
