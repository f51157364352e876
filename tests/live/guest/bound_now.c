/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: is bound at once, with tables that are read-only from then on, without linkage tables. */
/* Flags: -Wl,-z,now -Wl,-z,relro -fno-plt -lm */
/* Shell: export LD_BIND_NOW=1 */
#include <math.h>
#include "guest.h"

int main(void)
{
	double sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		for (int i = 1; i < 300; i++)
			sum += sin(i) * pow(i, 0.3);
	}
	printf("%.17g\n", sum);
	return guest_end(0);
}
