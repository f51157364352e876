/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: is bound late: what it calls first in a recorded execution goes through the loader then. */
/* Flags: -Wl,-z,lazy -lm */
#include <math.h>
#include "guest.h"

static double late(int step)
{
	switch (step % 8) {
	case 0: return sin(step);
	case 1: return cbrt(step);
	case 2: return tgamma(step % 20 + 1);
	case 3: return erf(step);
	case 4: return lgamma(step + 1);
	case 5: return hypot(step, 2);
	case 6: return atan2(step, 3);
	default: return fma(step, 2, 3);
	}
}

int main(void)
{
	double sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step > 60 && step % 3 == 0)
			sum += late(step / 3);
	}
	printf("%.17g\n", sum);
	return guest_end(0);
}
